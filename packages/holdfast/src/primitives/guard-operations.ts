import * as core from '@holdfast/core';

/** A write, once its token and number are known. */
export type GuardedCommand = (write: core.GuardedWrite) => core.Command<core.GuardReply>;

/** The writes of a guard to one key: the only file that knows their scripts. */
export class GuardOperations {
  readonly #keys: core.GuardedKeys;

  /** @throws TypeError or RangeError when there can be no such key. */
  constructor(key: string, keyPrefix: string) {
    this.#keys = core.guardedKeys(key, keyPrefix);
  }

  /** `ttlMs` 0: none. */
  set(value: string | number, ttlMs: number): GuardedCommand {
    return (write) => core.guardText(this.#keys, write, { command: 'SET', value, ttlMs });
  }

  del(): GuardedCommand {
    return (write) => core.guardText(this.#keys, write, { command: 'DEL' });
  }

  hset(pairs: readonly (string | number)[]): GuardedCommand {
    return (write) => core.guardHash(this.#keys, write, { command: 'HSET', args: pairs });
  }

  hdel(fields: readonly string[]): GuardedCommand {
    return (write) => core.guardHash(this.#keys, write, { command: 'HDEL', args: fields });
  }
}
