// Do all links of the built site lead somewhere: to a page that there is, and to a place that there is on it?
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** @param {string} dist folder of the built site @returns {string[]} what is broken, a line each */
export function brokenLinks(dist) {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'));
  const pages = new Map(files.map((file) => [`/${file}`, read(join(dist, file))]));
  const broken = [];
  for (const [page, { links }] of pages) {
    for (const link of links) {
      const [path, anchor] = link.split('#');
      const target = path === '' ? page : fileOf(dist, posix.resolve(posix.dirname(page), path), path.endsWith('/'));
      if (target === undefined) broken.push(`${page}: ${link} leads nowhere`);
      else if (anchor && pages.has(target) && !pages.get(target).ids.has(decodeURIComponent(anchor)))
        broken.push(`${page}: ${link}: there is no such place on ${target}`);
    }
  }
  return broken;
}

function read(file) {
  const html = readFileSync(file, 'utf8');
  const links = [...html.matchAll(/<(?:a|img)\b[^>]*?\s(?:href|src)="([^"]*)"/g)].map(([, link]) => link);
  const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
  return { links: new Set(links.filter((link) => !/^(?:[a-z]+:|\/\/)/.test(link))), ids: new Set(ids) };
}

/** As a server of files answers. */
function fileOf(dist, path, isFolder) {
  const candidates = isFolder || path === '/' ? [posix.join(path, 'index.html')] : [path, `${path}.html`];
  return candidates.find((file) => /\.\w+$/.test(file) && existsSync(join(dist, file)));
}
