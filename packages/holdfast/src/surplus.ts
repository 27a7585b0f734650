/** @throws TypeError when there is more than the method takes: passed over, the call would not do what its caller means. */
export function refuseSurplus(surplus: readonly unknown[], method: string, takes: string): void {
  if (surplus.some((value) => value !== undefined)) throw new TypeError(`${method} takes ${takes}, and nothing behind`);
}
