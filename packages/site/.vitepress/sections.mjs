// The pages in the order in which they are read.

const order = [
  ['Guide', ['guide', 'locks', 'testing', 'troubleshooting', 'upgrading']],
  ['Locks', ['fenced-lock', 'fair-lock', 'read-write-lock', 'multi-lock', 'spin-lock', 'redlock']],
  ['Beyond locks', ['semaphores', 'latch', 'election', 'share']],
  ['Reference', ['options', 'semantics', 'cli', 'versions', 'changelog']],
  ['Operations', ['operations', 'operations/index', 'runbook', 'topologies', 'security', 'threats', 'growth']],
  ['Recipes', ['recipes/index', /^recipes\//, /^examples\//]],
  ['Beside others', ['redisson', 'redisson-tests', /^moving\//, 'performance', 'benchmarks/index']],
  ['Safety case', ['safety', 'models', 'checkers', 'faults', 'simulation', 'soak']],
  ['Inside', ['architecture', 'contributing', 'adr/index', /^adr\//]],
];

/** Folded until somebody wants them. */
const folded = new Set(['Recipes', 'Inside']);

/** What stands before a colon is the name, what stands behind it says more; decisions have the number before it. */
const shortened = ({ place, title }) => {
  if (place === 'threats.md') return 'Threats and reporting';
  const text = title.replaceAll('`', '');
  return place.startsWith('adr/') ? text : text.split(':')[0];
};

/**
 * @param {{ place: string, title: string }[]} staged all pages; those that are not named above come last
 * @returns {{ text: string, collapsed: boolean, items: { text: string, place: string, link: string }[] }[]}
 */
export function sections(staged) {
  const left = new Map(
    staged.filter(({ place }) => place !== 'index.md').map((page) => [page.place.slice(0, -3), page]),
  );
  const take = (wanted) => {
    const names = typeof wanted === 'string' ? [wanted] : [...left.keys()].filter((name) => wanted.test(name)).sort();
    return names.flatMap((name) => {
      const page = left.get(name);
      left.delete(name);
      const link = `/${name.replace(/(?:^|(?<=\/))index$/, '')}`;
      return page === undefined ? [] : [{ text: shortened(page), place: page.place, link }];
    });
  };
  const made = order.map(([text, wanted]) => ({ text, collapsed: folded.has(text), items: wanted.flatMap(take) }));
  const rest = take(/./);
  return rest.length === 0 ? made : [...made, { text: 'More', collapsed: false, items: rest }];
}
