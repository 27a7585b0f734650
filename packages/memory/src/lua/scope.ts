/** Which local variable a name means, and what it is called in translated code: every declaration has a name of its own. */

export class Scope {
  readonly #around: Scope | undefined;
  readonly #names = new Map<string, string>();
  readonly #count: { declared: number };

  constructor(around?: Scope) {
    this.#around = around;
    this.#count = around === undefined ? { declared: 0 } : around.#count;
  }

  declare(name: string): string {
    const own = this.fresh(name === '...' ? 'rest' : name);
    this.#names.set(name, own);
    return own;
  }

  /** A variable of the translated code alone: no name of the script means it. */
  fresh(name: string): string {
    return `${name}$${this.#count.declared++}`;
  }

  /** Undefined: it is a global. */
  find(name: string): string | undefined {
    return this.#names.get(name) ?? this.#around?.find(name);
  }
}
