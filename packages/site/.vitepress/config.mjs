import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { defineConfig } from 'vitepress';
import { sections } from './sections.mjs';

const pages = join(import.meta.dirname, '../.pages');
const staged = readdirSync(pages, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll(sep, '/'))
  .filter((file) => file.endsWith('.md') && !file.startsWith('api/'))
  .map((place) => ({ place, title: /^# (.+)$/m.exec(readFileSync(join(pages, place), 'utf8'))?.[1] ?? place }));

/** Headings have the names that they have where the repository is read. */
const slugify = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');

const api = {
  text: 'API',
  collapsed: false,
  items: [
    { text: 'holdfast', link: '/api/holdfast/' },
    { text: 'holdfast/testing', link: '/api/holdfast/testing/' },
    { text: 'holdfast/redlock', link: '/api/holdfast/redlock/' },
  ],
};
const [guide, ...others] = sections(staged);

/** What has no links of its own takes more than half of the time, and is left out where they are looked at: colours, the index of the search, a small program. */
const isCheck = process.env.HOLDFAST_SITE_CHECK !== undefined;
const plain = (code) => `<pre v-pre><code>${code.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</code></pre>`;
const markdown = isCheck ? { highlight: plain } : { theme: { light: 'github-light', dark: 'github-dark' } };
const search = { provider: 'local', options: { detailedView: true } };

export default defineConfig({
  title: 'holdfast',
  description: 'Re-entrant distributed locks for Node.js on Redis',
  head: [['style', {}, readFileSync(join(import.meta.dirname, 'site.css'), 'utf8')]],
  srcDir: '.pages',
  cleanUrls: true,
  lastUpdated: false,
  markdown: { anchor: { slugify }, ...markdown },
  ...(isCheck ? { vite: { build: { rollupOptions: { treeshake: false } } } } : {}),
  themeConfig: {
    ...(isCheck ? {} : { search }),
    outline: [2, 3],
    nav: [
      { text: 'Guide', link: '/guide' },
      { text: 'API', link: '/api/holdfast/' },
      { text: 'Operations', link: '/operations' },
      { text: 'Recipes', link: '/recipes/' },
      { text: 'Safety', link: '/safety' },
      { text: 'Benchmarks', link: '/benchmarks/' },
    ],
    sidebar: [guide, api, ...others],
    footer: { message: 'MIT' },
  },
});
