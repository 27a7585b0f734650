import type { Redis } from 'ioredis';

/** What the server has used since it started. */
export interface ServerUsage {
  readonly cpuUs: number;
  readonly commands: CommandTotals;
}

/** What it has executed. */
export interface CommandTotals {
  /** Calls of scripts, and the time in them. */
  readonly scripts: number;
  readonly scriptUs: number;
  /** All commands, those of scripts and the calls of scripts too. INFO, which asks for this, is left out. */
  readonly all: number;
}

/** What INFO commandstats says. */
export function commandTotals(text: string): CommandTotals {
  const found = [...text.matchAll(/^cmdstat_([^:]+):calls=(\d+),usec=(\d+)/gm)];
  const lines = found.map(([, name = '', calls, us]) => ({ name, calls: Number(calls), us: Number(us) }));
  const scripts = lines.find(({ name }) => name === 'evalsha');
  const counted = lines.filter(({ name }) => name !== 'info');
  return {
    scripts: scripts?.calls ?? 0,
    scriptUs: scripts?.us ?? 0,
    all: counted.reduce((sum, { calls }) => sum + calls, 0),
  };
}

/** Reads `INFO cpu`, user and system time of the whole server, and `INFO commandstats`. */
export async function serverUsage(admin: Redis): Promise<ServerUsage> {
  const [cpu, commands] = await Promise.all([admin.info('cpu'), admin.info('commandstats')]);
  const seconds = (field: string) => Number(new RegExp(`^${field}:(.+)$`, 'm').exec(cpu)?.[1]);
  const cpuUs = (seconds('used_cpu_user') + seconds('used_cpu_sys')) * 1e6;
  return { cpuUs, commands: commandTotals(commands) };
}

/** What was used between the two. */
export function usedBetween(before: ServerUsage, after: ServerUsage): ServerUsage {
  const less = (of: (usage: ServerUsage) => number) => of(after) - of(before);
  return {
    cpuUs: less(({ cpuUs }) => cpuUs),
    commands: {
      scripts: less(({ commands }) => commands.scripts),
      scriptUs: less(({ commands }) => commands.scriptUs),
      all: less(({ commands }) => commands.all),
    },
  };
}
