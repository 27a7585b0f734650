/** Cases that run beside each other in one test, for `it.each`: most of their time is waiting. */
export const inParts = <C extends readonly [title: string, ...unknown[]]>(cases: readonly C[], size: number) =>
  Array.from({ length: Math.ceil(cases.length / size) }, (_, index) => {
    const part = cases.slice(index * size, (index + 1) * size);
    return { told: `${part[0]?.[0]} … ${part.at(-1)?.[0]}`, part };
  });
