import { type Command, lockKeys } from '@holdfast/core';
import * as election from '@holdfast/core/election';
import type { Backend } from '../backend.js';
import { FencedOperations } from './fenced-operations.js';

/** Who leads, as Redis knows it. */
export type Led = election.Led;

/** The operations of an election: those of the fenced lock, and who leads. */
export class ElectionOperations extends FencedOperations {
  readonly channel: string;

  /** @throws TypeError or RangeError when there can be no election of that name. */
  constructor(name: string, { prefixes, granting, parts }: Backend) {
    super(lockKeys(name, prefixes), granting, parts.settings.tokens, 'election');
    this.channel = election.electionChannel(name, prefixes);
  }

  look(): Command<Led | undefined> {
    return this.#leader('only look');
  }

  /** The leader may have changed: who observes is told to look. */
  tell(): Command<Led | undefined> {
    return this.#leader('tell others');
  }

  #leader(say: 'tell others' | 'only look'): Command<Led | undefined> {
    return election.look({ lock: this.key, channel: this.channel }, { say, trust: this.granting.trust });
  }
}
