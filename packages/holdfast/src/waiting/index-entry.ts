import type { Scope } from '../scopes/scope.js';
import type { ListNode } from './linked-list.js';

/** The place of a waiting call among those of one origin: a scope around them, or an explicit owner. */
export class IndexEntry<T> implements ListNode<IndexEntry<T>> {
  readonly call: T;
  readonly origin: Scope | string;
  ahead: IndexEntry<T> | undefined;
  behind: IndexEntry<T> | undefined;

  constructor(call: T, origin: Scope | string) {
    this.call = call;
    this.origin = origin;
  }
}
