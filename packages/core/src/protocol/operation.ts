import { createHash } from 'node:crypto';
import type { Script } from './script-port.js';

/**
 * A script that can put named keys and arguments into the order of its KEYS and ARGV; generated from its header.
 *
 * Its text is put together, and hashed, when it is first needed: a process that takes a lock and gives it back needs two of fifty.
 */
export class Operation<Key extends string, Argument extends string> implements Script {
  readonly name: string;
  readonly keys: (by: Readonly<Record<Key, string>>) => string[];
  readonly args: (by: Readonly<Record<Argument, string | number>>) => (string | number)[];
  readonly #write: () => string;
  #source: string | undefined;
  #sha: string | undefined;

  constructor(
    name: string,
    keys: (by: Readonly<Record<Key, string>>) => string[],
    args: (by: Readonly<Record<Argument, string | number>>) => (string | number)[],
    write: () => string,
  ) {
    this.name = name;
    this.keys = keys;
    this.args = args;
    this.#write = write;
  }

  get source(): string {
    return (this.#source ??= this.#write());
  }

  get sha(): string {
    return (this.#sha ??= createHash('sha1').update(this.source).digest('hex'));
  }
}
