/** Rule `not-computed`: what a caller was given under a name was computed under that name before. That one computes at a time is `overlap`. */
import type { History } from '../history/read.js';
import type { Finding } from './findings.js';

export function* givenButNotComputed(history: History): Generator<Finding> {
  const computed = new Set<string>();
  for (const event of history) {
    if (event.f !== 'value') continue;
    const { at, lock, value, how } = event;
    const name = JSON.stringify([lock, value]);
    if (how === 'computed') computed.add(name);
    else if (!computed.has(name))
      yield {
        rule: 'not-computed',
        at,
        lock,
        between: [event.worker],
        text: `${value} was given, and nobody has computed it`,
      };
  }
}
