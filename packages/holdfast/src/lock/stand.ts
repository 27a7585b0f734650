import type { Scope } from '../scope.js';
import type { Link } from './chain.js';

/** Where a call stands among those of one origin: a scope around them, or an explicit owner. */
export class Stand<T> implements Link<Stand<T>> {
  readonly call: T;
  readonly origin: Scope | string;
  ahead: Stand<T> | undefined;
  behind: Stand<T> | undefined;

  constructor(call: T, origin: Scope | string) {
    this.call = call;
    this.origin = origin;
  }
}
