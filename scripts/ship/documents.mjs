// The documents that come with the package, from those of the repository.
import { posix } from 'node:path';

/** What someone who uses the package reads. How it is built stays in the repository, with the reports and records that these documents rest on. */
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
    'versions',
    'guide',
    'performance',
    'safety',
    'locks',
    'operations',
    'runbook',
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
  ...['from-redlock', 'from-redis-semaphore', 'from-node-redisson', 'from-redisson', 'from-set-nx'].map(
    (name) => `docs/moving/${name}.md`,
  ),
  ...[
    'README',
    'express',
    'fastify',
    'koa',
    'hono',
    'serverless',
    'nestjs',
    'bullmq',
    'another-process',
    'node-redis',
    'cron',
    'streams',
    'script',
    'prometheus',
    'pino',
    'transactions',
  ].map((name) => `docs/recipes/${name}.md`),
  ...['outlived', 'load', 'wake-up', 'handover'].map((name) => `docs/guide/${name}.svg`),
  // To copy.
  ...['README.md', 'alerts.yml', 'dashboard.json'].map((name) => `docs/operations/${name}`),
  ...['README.md', 'express.ts', 'fastify.ts', 'koa.ts', 'hono.ts'].map((name) => `examples/middleware/${name}`),
  ...['README.md', 'degrading.ts'].map((name) => `examples/degrading/${name}`),
];

const link = /(!?)\[([^\]]*)\]\((?!https?:|#)([^)\s#]+)(#[^)\s]*)?\)/g;

/** Where links within the text of `file` lead: its path in the repository. */
export const targetsOf = (file, text) =>
  [...text.matchAll(link)].map(([, , , path]) => posix.normalize(posix.join(posix.dirname(file), path)));

/** What is left of a link to what the reader has not got: its words, and behind those of a document where it is, so that the sentence still says what it points at. */
const leftOf = (words, path) => (path.endsWith('.md') ? `${words} (in the repository)` : words);

/**
 * A document whose links lead elsewhere.
 *
 * @param {string} file path in the repository
 * @param {string} text
 * @param {(target: string, anchor: string, path: string) => string | undefined} leadTo the address of a file of the repository; undefined when it has none
 */
export const relinked = (file, text, leadTo) =>
  text
    .replaceAll(link, (_, mark, words, path, anchor = '') => {
      const address = leadTo(posix.normalize(posix.join(posix.dirname(file), path)), anchor, path);
      return address === undefined ? leftOf(words, path) : `${mark}[${words}](${address})`;
    })
    .replaceAll(/\(([^()]*) \(in the repository\)\)/g, '($1, in the repository)');

/**
 * Makes the links of a document lead somewhere wherever it is read. With the address of the repository all of them are absolute. Without, those to
 * documents that are shipped stay as they are, and the others are said to be in the repository.
 *
 * @param {string} file path in the repository
 * @param {string} text
 * @param {string | undefined} base address of the repository's files
 */
export const relink = (file, text, base) =>
  relinked(file, text, (target, anchor, path) => {
    if (base !== undefined) return `${base}/${target}${anchor}`;
    return shipped.includes(target) ? `${path}${anchor}` : undefined;
  });

/** Address of the files of this version, by the manifest's `repository`; undefined where it has none. */
export function baseOf({ repository, version }) {
  const url = typeof repository === 'string' ? repository : repository?.url;
  return url && `${url.replace(/^git\+/, '').replace(/\.git$/, '')}/blob/v${version}`;
}
