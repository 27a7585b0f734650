// For programs that read: llms.txt, a list of all pages, and each page as Markdown beside its HTML.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sections } from '../../packages/site/.vitepress/sections.mjs';

/**
 * @param {{ place: string, title: string }[]} staged
 * @param {string} pages folder of the pages
 * @param {string} dist folder of the built site
 */
export function writeLlms(staged, pages, dist) {
  for (const { place } of staged) {
    mkdirSync(dirname(join(dist, place)), { recursive: true });
    copyFileSync(join(pages, place), join(dist, place));
  }
  const lists = sections(staged).map(
    ({ text, items }) =>
      `## ${text}\n\n${items.map(({ text: title, place }) => `- [${title}](/${place})`).join('\n')}\n`,
  );
  const { hero } = JSON.parse(/^---\n(.*?)\n---$/ms.exec(readFileSync(join(pages, 'index.md'), 'utf8'))[1]);
  writeFileSync(join(dist, 'llms.txt'), `# holdfast\n\n> ${hero.tagline}\n\n${lists.join('\n')}`);
}
