// The README as the first page of the site: its opening and what hurts are the head of the page, all else stands below it.

/**
 * @param {string} readme with links that lead somewhere on the site
 * @returns {string} a page in VitePress's layout for first pages
 */
export function homePage(readme) {
  const [opening, ...sections] = readme.split(/^(?=## )/m);
  const [title = '', lead = ''] = opening.split(/\n{2,}/);
  const [pains = ''] = sections;
  const points = [...pains.matchAll(/^- \*\*(.+?)\*\*\s+((?:.|\n(?!- |\n))+)/gm)];
  if (lead === '' || points.length === 0)
    throw new Error('README.md does not open with a title, a paragraph and what hurts');
  const head = {
    layout: 'home',
    title: 'holdfast',
    titleTemplate: ':title',
    hero: {
      name: title.replace(/^# /, ''),
      tagline: plain(lead),
      actions: [
        { theme: 'brand', text: 'First lines', link: '#first-lines' },
        { theme: 'alt', text: 'Which lock when', link: '/locks' },
        { theme: 'alt', text: 'How locks grew up', link: '/guide' },
      ],
    },
    features: points.map(([, name, text]) => ({ title: plain(name).replace(/[.:]$/, ''), details: plain(text) })),
  };
  // YAML takes JSON as it is.
  return `---\n${JSON.stringify(head, undefined, 2)}\n---\n\n${sections.slice(1).join('')}`;
}

/** Words without their marks, in one line. */
const plain = (text) =>
  text
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
