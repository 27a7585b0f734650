/** Random programs over one lock: what several flows of a process do with it, nested and side by side. */
import * as fc from 'fast-check';

/** How a call wants the lock. `brief` waits a few milliseconds, `abort` is aborted when the scheduler says so. */
export interface Manner {
  readonly patience: 'patient' | 'brief' | 'once' | 'abort';
  readonly lease: 'watched' | 'fixed';
}

export type Act =
  | { do: 'section' | 'hold' | 'thread'; manner: Manner; body: Act[] }
  | { do: 'both'; branches: [Act[], Act[]] }
  | { do: 'pause' }
  | { do: 'count' };

const manner: fc.Arbitrary<Manner> = fc.record({
  patience: fc.constantFrom('patient', 'patient', 'patient', 'brief', 'once', 'abort'),
  lease: fc.constantFrom('watched', 'watched', 'fixed'),
});

const { acts } = fc.letrec<{ act: Act; acts: Act[] }>((tie) => ({
  act: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('pause', 'count') }) },
    {
      weight: 5,
      arbitrary: fc.record({ do: fc.constantFrom('section', 'section', 'hold', 'thread'), manner, body: tie('acts') }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('both'), branches: fc.tuple(tie('acts'), tie('acts')) }) },
  ) as fc.Arbitrary<Act>,
  acts: fc.array(tie('act'), { minLength: 1, maxLength: 3 }),
}));

/** The flows of one process, and those of another one. */
export const programs = fc.record({
  ours: fc.array(acts, { minLength: 1, maxLength: 4, size: 'max' }),
  others: fc.array(acts, { maxLength: 2, size: 'max' }),
});
