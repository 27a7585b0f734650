/** Which local variable a name means, and what it is called in translated code: every declaration has a name of its own. */

import { UnknownToLua } from './errors.js';

interface Variable {
  readonly own: string;
  /** How many functions are around it. */
  readonly depth: number;
  isChangedWithin: boolean;
  isReadBesideCall: boolean;
}

export class Scope {
  readonly #around: Scope | undefined;
  readonly #depth: number;
  readonly #variables = new Map<string, Variable>();
  readonly #count: { declared: number };

  constructor(around?: Scope, of: 'a block' | 'a function' = 'a block') {
    this.#around = around;
    this.#depth = (around === undefined ? 0 : around.#depth) + (of === 'a function' ? 1 : 0);
    this.#count = around === undefined ? { declared: 0 } : around.#count;
  }

  declare(name: string): string {
    const own = this.fresh(name === '...' ? 'rest' : name);
    this.#variables.set(name, { own, depth: this.#depth, isChangedWithin: false, isReadBesideCall: false });
    return own;
  }

  /** A variable of the translated code alone: no name of the script means it. */
  fresh(name: string): string {
    return `${name}$${this.#count.declared++}`;
  }

  /** Undefined: it is a global. */
  find(name: string): string | undefined {
    return this.#variable(name)?.own;
  }

  /** A function that changes what belongs to the one around it does so whenever it is called. */
  changed(name: string): void {
    const variable = this.#variable(name);
    if (variable === undefined || variable.depth === this.#depth) return;
    variable.isChangedWithin = true;
    refuseLateReading(name, variable);
  }

  /** In an expression that calls a function before it makes use of what was read: Lua reads a variable of the same function only then. */
  readBesideCall(name: string): void {
    const variable = this.#variable(name);
    if (variable === undefined || variable.depth !== this.#depth) return;
    variable.isReadBesideCall = true;
    refuseLateReading(name, variable);
  }

  #variable(name: string): Variable | undefined {
    const around = this.#around;
    return this.#variables.get(name) ?? (around === undefined ? undefined : around.#variable(name));
  }
}

function refuseLateReading(name: string, { isChangedWithin, isReadBesideCall }: Variable): void {
  if (isChangedWithin && isReadBesideCall) throw new UnknownToLua(`${name} beside a call, which may change it`);
}
