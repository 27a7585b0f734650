/** Random programs over one lock: what several flows of two processes do with it, nested and side by side. */
import * as fc from 'fast-check';

/** How a call wants the lock. */
export interface Manner {
  /** `brief` waits a few milliseconds, `abort` is aborted when the scheduler says so. */
  readonly patience: 'patient' | 'brief' | 'once' | 'abort';
  /** `short`: may run out while it is in use. */
  readonly lease: 'watched' | 'fixed' | 'short';
  /** An explicit owner, in place of scopes. */
  readonly owner: string | undefined;
}

/** `detached`: the flow does not wait for it, so it may outlive the scope around it. */
export type Section = { do: 'section' | 'hold'; manner: Manner; detached: boolean; body: Act[] };

/** `thread`: `lock()` in a run of its own; `again`: in the run around it, if it is directly inside one. `open`: never unlocked. */
export type Locked = { do: 'thread' | 'again'; manner: Manner; ends: 'unlocked' | 'open'; body: Act[] };

export type Act =
  | Section
  | Locked
  | { do: 'run'; body: Act[] }
  | { do: 'both'; branches: [Act[], Act[]] }
  | { do: 'pause' | 'look' | 'force' | 'delete' | 'stall' };

const manner: fc.Arbitrary<Manner> = fc.record({
  patience: fc.constantFrom('patient', 'patient', 'patient', 'patient', 'brief', 'once', 'abort', 'abort'),
  lease: fc.constantFrom('watched', 'watched', 'watched', 'watched', 'watched', 'watched', 'fixed', 'short'),
  owner: fc.constantFrom(undefined, undefined, undefined, undefined, undefined, undefined, 'w', 'v'),
});

const { acts } = fc.letrec<{ act: Act; acts: Act[] }>((tie) => ({
  act: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 24, arbitrary: fc.record({ do: fc.constantFrom('pause', 'look') }) },
    {
      weight: 40,
      arbitrary: fc.record({
        do: fc.constantFrom('section', 'section', 'hold'),
        manner,
        detached: fc.constantFrom(false, false, false, true),
        body: tie('acts'),
      }),
    },
    {
      weight: 20,
      arbitrary: fc.record({
        do: fc.constantFrom('thread', 'thread', 'again'),
        manner,
        ends: fc.constantFrom('unlocked', 'unlocked', 'unlocked', 'unlocked', 'open'),
        body: tie('acts'),
      }),
    },
    { weight: 6, arbitrary: fc.record({ do: fc.constant('run'), body: tie('acts') }) },
    { weight: 14, arbitrary: fc.record({ do: fc.constant('both'), branches: fc.tuple(tie('acts'), tie('acts')) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('force', 'delete') }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('stall') }) },
  ) as fc.Arbitrary<Act>,
  acts: fc.array(tie('act'), { minLength: 1, maxLength: 3 }),
}));

export interface Program {
  /** The flows of one process. */
  readonly ours: Act[][];
  /** Those of another one. */
  readonly others: Act[][];
  /** What becomes of locks that a scope leaves open. */
  readonly leftovers: 'abandon' | 'release';
  /** How many steps are taken before everybody may finish what follows from them. */
  readonly stride: number;
}

export const programs: fc.Arbitrary<Program> = fc.record({
  ours: fc.array(acts, { minLength: 1, maxLength: 4, size: 'max' }),
  others: fc.array(acts, { maxLength: 2, size: 'max' }),
  leftovers: fc.constantFrom('abandon' as const, 'release' as const),
  stride: fc.constantFrom(1, 1, 2, 4),
});
