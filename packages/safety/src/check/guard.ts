/**
 * Rule `guard-order`: what a guard protects is written in the order of tokens. A write that began when one of a later token was known to be done
 * must have been refused, whoever sent it and however late.
 */
import type { Guarded } from '../history/event.js';
import type { Finding } from './findings.js';
import type { Level } from './levels.js';

interface Write {
  readonly level: Level;
  readonly event: Guarded;
}

export function* writesOutOfOrder(levels: readonly Level[]): Generator<Finding> {
  const done = levels
    .flatMap((level) => level.guarded.map((event): Write => ({ level, event })))
    .filter(({ event }) => event.outcome === 'written');
  const byBeginning = [...done].sort((a, b) => a.event.from - b.event.from);
  const byEnd = [...done].sort((a, b) => a.event.at - b.event.at);
  let next = 0;
  let largest: Write | undefined;
  for (const write of byBeginning) {
    for (let before = byEnd[next]; before !== undefined && before.event.at < write.event.from; before = byEnd[next]) {
      if (largest === undefined || before.event.token > largest.event.token) largest = before;
      next += 1;
    }
    if (largest === undefined || write.event.token >= largest.event.token) continue;
    yield {
      rule: 'guard-order',
      at: write.event.at,
      lock: write.level.lock,
      between: [largest.level.id, write.level.id],
      text: `${write.level.id} wrote with token ${write.event.token} after ${largest.level.id} had written with ${largest.event.token}`,
    };
  }
}
