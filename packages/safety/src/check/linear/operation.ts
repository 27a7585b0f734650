/** What was done to one lock or latch, seen from outside: for the search, which knows nothing of holdfast. */

/** An operation that took effect at one instant between its invocation and its return. */
export interface Operation<A extends AnyAction = Action> {
  /** For people: `<worker>/<hold>` and what it was. */
  readonly id: string;
  readonly invokedAt: number;
  /** Infinity: it may still take effect at any time. */
  readonly returnedAt: number;
  readonly action: A;
}

export type AnyAction = Action | LatchAction;

/** Without an answer: nobody knows whether it had an effect. */
export type LatchAction =
  | { readonly kind: 'set'; readonly count: number; readonly begun: boolean | undefined }
  /** `left`: what it was told. */
  | { readonly kind: 'count'; readonly by: string | undefined; readonly left: number | undefined }
  /** Saw that the latch is open. */
  | { readonly kind: 'see' };

export type Action =
  | {
      readonly kind: 'acquire';
      readonly owner: string;
      /** 1 from outside, more for a re-entry. */
      readonly depth: number;
      readonly token?: number;
      /** Absent: it excludes everybody else. */
      readonly side?: 'read';
      /** False: nobody knows whether it had an effect. */
      readonly certain: boolean;
    }
  | { readonly kind: 'release'; readonly owner: string; readonly side?: 'read'; readonly certain: boolean }
  /** The lease of this owner may be over: a step inside the server. Without effect when it is not the owner any more. */
  | { readonly kind: 'expire'; readonly owner: string }
  /** The lock is taken from whoever has it; of a read-write lock from readers or from a writer, and who has the other side keeps it. */
  | { readonly kind: 'force'; readonly from?: 'readers' | 'writer' };
