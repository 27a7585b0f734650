/**
 * What a server refuses, and why: each kind as Redis refuses it, before any effect.
 *
 * | trouble | is refused |
 * |---|---|
 * | OOM | a write that may need memory, unless its script has written before |
 * | NOPERM | the named commands, sent by a client or by a script |
 * | READONLY, MISCONF | every write |
 * | LOADING, BUSY, MASTERDOWN, CLUSTERDOWN | everything but what a connection needs to be made |
 */

import type { Access, Hindrance } from './commands.js';
import { ErrorReply } from './reply.js';

/** See the module comment. `commands`: their names, in any case. */
export type Trouble =
  | { readonly code: 'OOM' | 'READONLY' | 'MISCONF' | 'LOADING' | 'BUSY' | 'MASTERDOWN' | 'CLUSTERDOWN' }
  | { readonly code: 'NOPERM'; readonly commands: readonly string[] };

const texts: Readonly<Record<Exclude<Trouble['code'], 'NOPERM'>, string>> = {
  OOM: "OOM command not allowed when used memory > 'maxmemory'.",
  READONLY: "READONLY You can't write against a read only replica.",
  MISCONF: "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
  LOADING: 'LOADING Redis is loading the dataset in memory',
  BUSY: 'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
  MASTERDOWN: "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
  CLUSTERDOWN: 'CLUSTERDOWN The cluster is down',
};

/** What every server in trouble still does, and what one that loads or has lost its master does besides. */
const always: ReadonlySet<string> = new Set(['hello', 'auth', 'client', 'quit', 'reset']);
const unlessBusy: ReadonlySet<string> = new Set([
  'info',
  'select',
  'subscribe',
  'unsubscribe',
  'ssubscribe',
  'sunsubscribe',
]);

/** The present troubles of one server. */
export class Troubles {
  readonly #present = new Set<Trouble>();

  add(trouble: Trouble): void {
    this.#present.add(trouble);
  }

  remove(trouble: Trouble): void {
    this.#present.delete(trouble);
  }

  clear(): void {
    this.#present.clear();
  }

  has(code: Trouble['code']): boolean {
    for (const trouble of this.#present) if (trouble.code === code) return true;
    return false;
  }

  /** What commands meet now, those of scripts too; undefined when nothing stands in their way. */
  hindrance(): Hindrance | undefined {
    if (this.#present.size === 0) return undefined;
    return (command, access, wrote) => {
      for (const trouble of this.#present) judge(trouble, command, access, wrote);
    };
  }

  /** Refuses a command that a client has sent, before it is looked at. */
  admit(command: string): void {
    for (const trouble of this.#present) {
      const { code } = trouble;
      if (code === 'OOM' || code === 'READONLY' || code === 'MISCONF') continue;
      if (code === 'NOPERM') judge(trouble, command, 'read', false);
      else if (!always.has(command) && (code === 'BUSY' || !unlessBusy.has(command))) throw new ErrorReply(texts[code]);
    }
  }
}

function judge(trouble: Trouble, command: string, access: Access, wrote: boolean): void {
  if (trouble.code === 'NOPERM') {
    if (trouble.commands.some((name) => name.toLowerCase() === command)) {
      throw new ErrorReply(`NOPERM User default has no permissions to run the '${command}' command`);
    }
  } else if (
    (trouble.code === 'OOM' && access === 'grow' && !wrote) ||
    ((trouble.code === 'READONLY' || trouble.code === 'MISCONF') && access !== 'read')
  ) {
    throw new ErrorReply(texts[trouble.code]);
  }
}
