/** What is broken on purpose, and when: plain data, so that a run can be repeated without some of it. Times are world time in milliseconds. */
export type FaultPlan = {
  readonly at: number;
  /** It concerns this server of a lock by majority, where there is one, and not the server of all other locks. */
  readonly node?: number;
} & (
  | {
      readonly kind: 'reset' | 'reply-lost' | 'dead' | 'answers-swapped';
      readonly process: number;
      readonly connection: number;
    }
  | {
      readonly kind: 'late';
      readonly process: number;
      readonly connection: number;
      readonly brokenMs: number;
      readonly forMs: number;
    }
  | {
      readonly kind: 'partition';
      readonly process: number;
      readonly way: 'both' | 'to the server' | 'to the client';
      readonly forMs: number;
    }
  | { readonly kind: 'stop' | 'stall'; readonly process: number; readonly forMs: number }
  /** It stands still right before it reads its clock for the so many-th time from then on, in the middle of what it does. */
  | { readonly kind: 'stall-inside'; readonly process: number; readonly readings: number; readonly forMs: number }
  | { readonly kind: 'kill'; readonly process: number; readonly how: 'closed' | 'silent'; readonly backMs: number }
  | { readonly kind: 'server-stop' | 'oom' | 'noperm' | 'busy'; readonly forMs: number }
  | { readonly kind: 'restart' | 'restart-empty' | 'failover'; readonly awayMs: number; readonly loadingMs: number }
  /** Restarted without data, and its wall clock is set forward: it seems to have been running for longer than it has. */
  | { readonly kind: 'reborn'; readonly awayMs: number; readonly loadingMs: number; readonly aheadMs: number }
  | { readonly kind: 'script-flush' | 'clients-killed' }
  | { readonly kind: 'queue-lost' | 'counter-lost' | 'del'; readonly lock: number }
  /** The wall clock of the server is set back. */
  | { readonly kind: 'clock-back'; readonly byMs: number }
  | { readonly kind: 'force'; readonly lock: number; readonly process: number }
);

export type FaultKind = FaultPlan['kind'];

/** Break nothing that is promised without exception. */
const plain = {
  reset: 8,
  'reply-lost': 8,
  dead: 3,
  late: 6,
  'answers-swapped': 2,
  partition: 5,
  stop: 4,
  stall: 5,
  kill: 2,
  'server-stop': 1,
  oom: 1,
  noperm: 1,
  busy: 1,
  restart: 1,
  'script-flush': 3,
  'clients-killed': 1,
  'queue-lost': 1,
} satisfies Partial<Record<FaultKind, number>>;

/** Take locks away from owners who are alive. */
const taking = { del: 3, force: 3, 'restart-empty': 1, failover: 2 } satisfies Partial<Record<FaultKind, number>>;

/** What breaks at one server of a lock by majority, or on the way to it: nothing that is promised may depend on it, not even when its data is lost. */
const atNode = {
  reset: 6,
  'reply-lost': 6,
  dead: 3,
  late: 5,
  partition: 6,
  'server-stop': 3,
  oom: 1,
  noperm: 1,
  busy: 1,
  restart: 2,
  'restart-empty': 4,
  'script-flush': 2,
  'clients-killed': 1,
} satisfies Partial<Record<FaultKind, number>>;

/** Of each fault. Those that are in no list of classes are drawn in worlds of a temper only. */
export type FaultWeights = Readonly<Partial<Record<FaultKind, number>>>;

/** How often each kind is drawn, in a world where locks may be taken away, and in one where they may not. */
export const weights = {
  broken: plain as Readonly<Record<keyof typeof plain, number>>,
  taken: { ...plain, ...taking } as Readonly<Record<keyof typeof plain | keyof typeof taking, number>>,
  atNode: atNode as Readonly<Record<keyof typeof atNode, number>>,
};
