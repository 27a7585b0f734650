// How the declarations of a package become one file for each entry: from those that `tsc --build` has made of every package before, so that no
// source is read and checked a second time.

/**
 * For tsup, in the folder of a package.
 *
 * @param {Record<string, string>} entries the name of each entry, and its source below src/ without the extension
 */
export const declarations = (entries) => ({
  entry: Object.fromEntries(Object.entries(entries).map(([name, source]) => [name, `dist/types/${source}.d.ts`])),
  compilerOptions: {
    ...{ composite: false, incremental: false, ignoreDeprecations: '6.0' },
    customConditions: [],
    paths: {
      '@holdfast/core/*': ['../core/dist/types/*/index.d.ts'],
      '@holdfast/*': ['../*/dist/types/index.d.ts'],
      holdfast: ['../holdfast/dist/types/index.d.ts'],
    },
  },
});
