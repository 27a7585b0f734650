/** All that is measured: what a number is called in tables, and its unit. */
export const figures = {
  opsPerSecond: { title: 'ops/s', about: 'locked and given back within the round' },
  handoffsPerSecond: { title: 'handoffs/s', about: 'to another process that was waiting' },
  acquireP50Us: { title: 'acquire p50 µs', about: 'from the call to being inside' },
  acquireP99Us: { title: 'p99', about: 'in a contended workload this is the wait' },
  acquireP999Us: { title: 'p99.9', about: '' },
  handoffP50Us: { title: 'handoff p50 µs', about: 'from leaving to entering in another process that was waiting' },
  handoffP99Us: { title: 'p99', about: '' },
  handoffP999Us: { title: 'p99.9', about: '' },
  keptShare: { title: 'kept', about: 'share of passages after which the same process had the lock again: no handoffs' },
  commandsPerOp: { title: 'commands/op', about: 'that clients sent, subscriptions of ioredis included' },
  redisCpuUs: { title: 'Redis µs/op', about: 'CPU time of the server' },
  clientCpuUs: { title: 'client µs/op', about: 'CPU time of all client processes' },
  scriptUs: {
    title: 'Redis µs/script',
    about: 'of a call of a script, in the worker of the server’s commands: what `INFO commandstats` has for `evalsha`',
  },
  innerCommands: {
    title: 'inner commands/script',
    about: 'what the server executed and no client sent, for each of these calls',
  },
  inUseShare: { title: 'in use', about: 'share of the round in which somebody was inside' },
  fairness: { title: 'fairness', about: 'least served divided by most served' },
  shareOfFair: {
    title: '÷ fair share',
    about: 'turns it had, divided by its part of all tasks; the rest is the other’s',
  },
  timerLateP99Ms: { title: 'timer late p99 ms', about: 'by how much a timer of 10 ms was late in the worst process' },
  timerLateMaxMs: { title: 'max', about: '' },
  peakMiB: { title: 'peak MiB', about: 'growth of the process at its largest, in this case and those before it' },
  bytesEach: { title: 'bytes each', about: 'reachable heap' },
  acquiredInMs: { title: 'taken in ms', about: 'all of them, 64 at a time' },
  commandsPerRenewal: { title: 'commands/renewal round', about: 'client commands in a third of the lease' },
  commandsPerSecond: { title: 'commands/s', about: 'client commands while nothing happens' },
  clientCpuPercent: { title: 'client CPU %', about: 'of a core, at a lease of 6 s; at 30 s a fifth' },
  redisCpuPercent: { title: 'Redis CPU %', about: 'of a core, likewise' },
  importMs: { title: 'import ms', about: 'to load ioredis and the library' },
  importOwnMs: { title: 'beyond ioredis', about: 'of that, to load the library when ioredis was there' },
  firstLockMs: { title: 'first lock ms', about: 'from having loaded it to holding a lock, connecting included' },
  servedPerSecond: { title: 'served/s', about: 'from the release until the last waiter was inside' },
} as const;

export type Figure = keyof typeof figures;
export type Figures = Partial<Record<Figure, number>>;
