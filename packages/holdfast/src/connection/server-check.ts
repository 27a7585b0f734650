/**
 * Looks at each server we come to for settings under which it cannot keep locks: they work, until one is gone without a trace.
 *
 * It asks INFO, which ioredis sends too before it calls a connection ready: a user who may connect has that right. Without it nothing is
 * reported, and no call waits for the answer.
 */

/** What is wrong with a server, and what to do. */
export interface UnsafeSetting {
  /** As Redis calls it. */
  readonly setting: 'maxmemory-policy' | 'role';
  readonly value: string;
  readonly advice: string;
}

/** A server whose INFO can be asked for. */
export interface CheckedServer {
  info(): Promise<unknown>;
}

/** Reports a setting once for each run of a server. */
export class ServerCheck {
  readonly #report: (found: UnsafeSetting) => void;
  readonly #told = new Set<string>();

  constructor(report: (found: UnsafeSetting) => void) {
    this.#report = report;
  }

  /**
   * Asks a server that is ready, and answers which run of it that is, if it says so. Never rejects: what was not answered is asked again on the next
   * connection.
   */
  async look(server: CheckedServer): Promise<string | undefined> {
    const info = await server.info().catch(() => undefined);
    if (typeof info !== 'string') return undefined;
    const run = fieldOf(info, 'run_id');
    for (const found of unsafeSettingsIn(info)) {
      const key = `${run} ${found.setting}`;
      if (this.#told.has(key)) continue;
      this.#told.add(key);
      this.#report(found);
    }
    return run;
  }
}

/** Reads Redis' INFO. */
export function unsafeSettingsIn(info: string): UnsafeSetting[] {
  const found: UnsafeSetting[] = [];
  const policy = fieldOf(info, 'maxmemory_policy') ?? 'noeviction';
  const limited = Number(fieldOf(info, 'maxmemory') ?? 0) > 0;
  if (limited && policy !== 'noeviction') {
    const advice =
      'a full server deletes locks that are held: set it to noeviction, or keep locks on a server of their own';
    found.push({ setting: 'maxmemory-policy', value: policy, advice });
  }
  const role = fieldOf(info, 'role') ?? 'master';
  if (role !== 'master') {
    const advice = 'a replica takes no locks: connect to the master, through Sentinel or Cluster if it can change';
    found.push({ setting: 'role', value: role, advice });
  }
  return found;
}

function fieldOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}
