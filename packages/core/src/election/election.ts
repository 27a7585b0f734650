/** What an election asks beside its fenced lock: who leads. */

import { command } from '../protocol/command.js';
import { KeysOfName } from '../protocol/keys.js';
import type { Prefixes } from '../protocol/names.js';
import type { Command } from '../protocol/script-port.js';
import { trustArgument } from '../queue/granting.js';
import { leader } from './scripts.gen.js';

/** Who leads: its tenure, and its fencing token. */
export interface Led {
  readonly tenure: string;
  readonly token: number;
}

/** The channel on which it is said that the leader of `name` may have changed. @throws as {@link lockKeys}. */
export function electionChannel(name: string, prefixes: Prefixes = {}): string {
  return new KeysOfElection(name, prefixes).channel;
}

class KeysOfElection extends KeysOfName {
  get channel(): string {
    return this.of('election');
  }
}

/** Who leads; undefined when nobody does. `say`: tells who listens to look. Refused (`NOTALOCK`) when the key is not a lock by its shape. */
export function look(
  { lock, channel }: { readonly lock: string; readonly channel: string },
  { say, trust }: { readonly say: 'tell others' | 'only look'; readonly trust: boolean },
): Command<Led | undefined> {
  const args = { say: say === 'tell others' ? 1 : 0, channel, trust: trustArgument({ trust }) };
  return command(leader, { lock }, args, (reply) => {
    const tenure = reply.hasLength(2).text(0);
    return tenure === '' ? undefined : { tenure, token: reply.natural(1) };
  });
}
