// Random walks through queue.pml that the real client is made to take: switches as in the variants, and the seeds of SPIN's choices.
// One tenure for each process, and nothing that only time can do: `npm run spec -- --traces` writes them to traces/.
export const walks = [
  { name: 'break', set: 'NC=3 BREAKS=2 GIVE_UPS=1', seeds: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] },
  { name: 'nested', set: 'NC=2 NESTINGS=2 BREAKS=2', seeds: [1, 2, 3, 4] },
  { name: 'give-up', set: 'NC=3 GIVE_UPS=2', seeds: [1, 2, 3] },
  { name: 'force', set: 'NC=3 FORCES=1', seeds: [1, 2, 3, 4, 5, 6, 7, 8] },
];
