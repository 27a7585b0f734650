import type { Redis } from 'ioredis';

/** Calls by command in lower case; subcommands as Redis names them: `client|list`. */
export type CommandCounts = Record<string, number>;

/** A running count. Made by {@link countCommands}. */
export interface CommandCounter {
  /** Calls since the count began, this counter's own left out. Commands that were not called are absent. */
  delta(): Promise<CommandCounts>;
}

async function callsByCommand(admin: Redis): Promise<Map<string, number>> {
  const info = await admin.info('commandstats');
  const lines = info.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm);
  return new Map([...lines].map(([, command = '', calls]) => [command, Number(calls)]));
}

/**
 * Counts what the server executes from now on, exactly, whoever sent it.
 *
 * The server counts commands that scripts call among the rest, so `hset` may be a script's; `eval`, `evalsha`,
 * `subscribe` and whatever else scripts cannot call are clients' alone. An EVALSHA that was answered NOSCRIPT counts.
 */
export async function countCommands(admin: Redis): Promise<CommandCounter> {
  const before = await callsByCommand(admin);
  let ownReads = 1; // the server counts a call when it has ended: the one above is not in its own reply
  return {
    delta: async () => {
      const now = await callsByCommand(admin);
      const counts = [...now].map(([command, calls]): [string, number] => [
        command,
        calls - (before.get(command) ?? 0),
      ]);
      const others = counts.map(([command, calls]): [string, number] => [
        command,
        command === 'info' ? calls - ownReads : calls,
      ]);
      ownReads++;
      return Object.fromEntries(others.filter(([, calls]) => calls !== 0));
    },
  };
}
