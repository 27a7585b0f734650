import { AbortHub, Wait } from '../../src/index.js';

/** A process with many waits on one signal and one broken abort callback. Its warnings go to stderr. */
const aborts = new AbortHub();
const controller = new AbortController();
const waits = Array.from({ length: 50 }, () => new Wait<void>({ aborts, signal: controller.signal }));
aborts.subscribe(controller.signal, () => {
  throw new Error('broken callback');
});
controller.abort();
const outcomes = await Promise.allSettled(waits.map((wait) => wait.promise));
console.log(`${outcomes.filter(({ status }) => status === 'rejected').length} aborted`);
