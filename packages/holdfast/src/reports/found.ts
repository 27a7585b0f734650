/**
 * What a call that waits for a lock is told when it needs none any more: what it wanted the lock for is there. It travels as the reason of an abort
 * signal, since it ends the wait in the same way; but it is no failure, and is not told to users: it has the text of what was shared.
 */
export class Found {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
