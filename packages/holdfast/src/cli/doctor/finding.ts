/** One thing that the doctor looked at. */
export interface Finding {
  /** What was looked at: `reachable`, `version`, `rights` … */
  readonly check: string;
  /** `bad`: locks do not work, or are not safe. `warn`: they work, less well than they could. `unknown`: it may not be looked at. */
  readonly status: 'ok' | 'warn' | 'bad' | 'unknown';
  /** In words. */
  readonly detail: string;
  /** The server, where there are several. */
  readonly node?: string;
  /** What is missing, by name: rights. */
  readonly missing?: readonly string[];
  /** What was measured, in milliseconds. */
  readonly ms?: number;
}

/** What could not be looked at. `why`: the error, or none where there was nothing to see. `right`: what is missing where it was refused. */
export function unseen(check: string, command: string, right: string, why?: unknown): Finding {
  const isRefused = !(why instanceof Error) || why.message.startsWith('NOPERM');
  const detail = isRefused ? `${command} is refused: give ${right}` : `${command}: ${why.message}`;
  return { check, status: 'unknown', detail };
}

/** A line of INFO. */
export function fieldOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}

/** `standalone`, `cluster` or `sentinel`, by the names that Redis and Valkey have for it. */
export const modeIn = (info: string): string | undefined => fieldOf(info, 'redis_mode') ?? fieldOf(info, 'server_mode');
