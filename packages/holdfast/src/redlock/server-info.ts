import { fieldsOf } from '../connection/info.js';

/** What a server says of itself in INFO, as far as it matters for a vote. */
export interface ServerInfo {
  /** Another one after each start, and for each server. */
  readonly runId: string;
  /** Time since it was started, by the clock of its machine, in whole seconds. May be up to a second too much: it is the difference of two times without their fractions. */
  readonly uptimeMs: number;
  readonly role: string;
  /** It was made a master by a failover: what the master before it had promised, it may not know. */
  readonly promoted: boolean;
  /** It writes a log of what it does. */
  readonly logs: boolean;
}

const NO_REPLICATION_ID = /^0*$/;

/** Undefined when that is no INFO of a server that keeps locks. */
export function readServerInfo(text: unknown): ServerInfo | undefined {
  const field = fieldsOf(text);
  if (field === undefined) return undefined;
  const uptime = Number(field('uptime_in_seconds'));
  const runId = field('run_id');
  const role = field('role');
  if (runId === undefined || role === undefined || !Number.isFinite(uptime)) return undefined;
  return {
    runId,
    uptimeMs: uptime * 1_000,
    role,
    promoted: !NO_REPLICATION_ID.test(field('master_replid2') ?? ''),
    logs: field('aof_enabled') === '1',
  };
}
