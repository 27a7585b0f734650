import { expect, it } from '@jest/globals';
import { LockLostError, LockNotHeldError } from 'holdfast';
import { heldBy } from '../src/worker/leading.js';

const untold = new AbortController().signal;
const resigned = AbortSignal.abort(new LockNotHeldError('e', 'this leader any more'));
const lost = AbortSignal.abort(new LockLostError('e', 'expired'));

it.each([
  ['held', 'it leads', true, untold],
  ['held', 'it does not lead, and its signal has not told it', false, untold],
  ['held', 'its signal has told it, and it says that it leads', true, lost],
  ['lost', 'it was told of a loss', false, lost],
  ['released', 'it was told that it has resigned', false, resigned],
] as const)('a leadership counts as %s when %s', (state, _, leads, signal) => {
  const leadership = { leads, signal, token: 3, resign: () => Promise.resolve() };
  expect(heldBy(leadership)).toMatchObject({ state, token: 3 });
});
