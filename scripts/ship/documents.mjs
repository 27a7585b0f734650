// The documents that come with the package, from those of the repository.
import { posix } from 'node:path';

/** What someone who uses the package reads. How it is built and proven stays in the repository. */
export const shipped = [
  ...['README.md', 'CHANGELOG.md', 'SECURITY.md'],
  ...[
    'options',
    'semantics',
    'testing',
    'troubleshooting',
    'topologies',
    'security',
    'redisson',
    'upgrading',
    'locks',
    'operations',
    'cli',
    'redlock',
    'read-write-lock',
    'multi-lock',
    'fair-lock',
    'fenced-lock',
    'spin-lock',
    'semaphores',
    'latch',
    'share',
    'election',
  ].map((name) => `docs/${name}.md`),
  ...['from-redlock', 'from-redis-semaphore', 'from-node-redisson', 'from-redisson'].map(
    (name) => `docs/moving/${name}.md`,
  ),
  ...['README', 'express', 'nestjs', 'bullmq', 'cron', 'streams', 'script'].map((name) => `docs/recipes/${name}.md`),
];

const link = /\[([^\]]*)\]\((?!https?:|#)([^)\s#]+)(#[^)\s]*)?\)/g;

/** Where links within the text of `file` lead: its path in the repository. */
export const targetsOf = (file, text) =>
  [...text.matchAll(link)].map(([, , path]) => posix.normalize(posix.join(posix.dirname(file), path)));

/**
 * Makes the links of a document lead somewhere wherever it is read. With the address of the repository all of them are absolute. Without, those to
 * documents that are shipped stay as they are, and of the others the words are left.
 *
 * @param {string} file path in the repository
 * @param {string} text
 * @param {string | undefined} base address of the repository's files
 */
export const relink = (file, text, base) =>
  text.replaceAll(link, (whole, words, path, anchor = '') => {
    const target = posix.normalize(posix.join(posix.dirname(file), path));
    if (base !== undefined) return `[${words}](${base}/${target}${anchor})`;
    return shipped.includes(target) ? whole : words;
  });

/** Address of the files of this version, by the manifest's `repository`; undefined where it has none. */
export function baseOf({ repository, version }) {
  const url = typeof repository === 'string' ? repository : repository?.url;
  return url && `${url.replace(/^git\+/, '').replace(/\.git$/, '')}/blob/v${version}`;
}
