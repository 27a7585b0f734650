const never = new Int32Array(new SharedArrayBuffer(4));

/** The event loop stands still for so long. The processor is left to others: tests of other files run beside this one. */
export function stall(ms: number): void {
  const until = performance.now() + ms;
  for (let left = ms; left > 0; left = until - performance.now()) Atomics.wait(never, 0, 0, left);
}
