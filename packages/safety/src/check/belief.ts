/**
 * What a level said of itself, against what its history shows: rules `held-after-miss`, `believed-too-late`, `contradiction`.
 *
 * The server starts a lease before its answer arrives, so nobody may believe in a fixed lease longer than `ok` + lease. (Its local
 * deadline is earlier; that shows where another one gets the lock, in `overlap`.) A family that holds any watched level has no such bound.
 */
import type { Finding } from './findings.js';
import { believes, type Level } from './levels.js';

export function* falseBeliefs(levels: readonly Level[]): Generator<Finding> {
  const bounds = fixedLeaseBounds(levels);
  for (const level of levels) {
    yield* workAfterMiss(level);
    yield* lies(level);
    yield* tooLate(level, bounds.get(level.owner));
  }
}

function* workAfterMiss({ miss, ok, id, lock, samples, stores, release }: Level): Generator<Finding> {
  if (miss === undefined || ok !== undefined) return;
  const evidence = [...samples.filter(believes), ...stores, ...(release === undefined ? [] : [release])];
  const [first] = evidence.sort((a, b) => a.at - b.at);
  if (first === undefined) return;
  yield {
    rule: 'held-after-miss',
    at: first.at,
    lock,
    between: [id],
    text: `${id} was answered ${miss.type} (${miss.code}), and yet it worked`,
  };
}

function* lies({ id, lock, samples }: Level): Generator<Finding> {
  for (const { at, state, until, aborted } of samples) {
    const held = state === 'held' || state === 'suspect';
    const contradiction =
      held && aborted === true
        ? `its state says ${state}, its signal is aborted`
        : !held && until !== undefined
          ? `its state says ${state}, and that ${until - at} µs remain`
          : undefined;
    if (contradiction !== undefined)
      yield { rule: 'contradiction', at, lock, between: [id], text: `${id}: ${contradiction}` };
  }
}

function* tooLate({ id, lock, samples, lost, release }: Level, leaseOver: number | undefined): Generator<Finding> {
  const over = [
    { at: lost?.at, what: `it was told of its loss (${lost?.code})` },
    { at: release?.at, what: 'its release began' },
    { at: leaseOver, what: 'its fixed lease had certainly run out' },
  ];
  for (const sample of samples) {
    if (!believes(sample)) continue;
    for (const { at, what } of over) {
      if (at === undefined || sample.at <= at) continue;
      const text = `${id} said ${sample.state} ${sample.at - at} µs after ${what}`;
      yield { rule: 'believed-too-late', at: sample.at, lock, between: [id], text };
      return;
    }
  }
}

/** For each owner, when the last of its fixed leases was certainly over; none where a level was renewed or its answer is unknown. */
function fixedLeaseBounds(levels: readonly Level[]): Map<string, number> {
  const bounds = new Map<string, number>();
  for (const { owner, acquire, ok, miss } of levels) {
    // One that certainly failed has extended nothing. One without any answer may have.
    if (ok === undefined && miss?.type === 'fail') continue;
    const bound = ok === undefined || acquire.leaseMs === undefined ? Infinity : ok.at + acquire.leaseMs * 1_000;
    bounds.set(owner, Math.max(bounds.get(owner) ?? 0, bound));
  }
  return bounds;
}
