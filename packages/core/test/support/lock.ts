import type { Redis } from 'ioredis';
import * as core from '../../src/index.js';
import { type LockServer, scriptPort } from './lock-server.js';

export const LEASE = 60_000;
export const FRESH = 20_000;
export const CLAIM = 3_000;
export const FRESH_TTL = 30_000;
export const TOMBSTONE = 10_000;

export interface State {
  lock: Record<string, string>;
  queue: string[];
  fresh: string[];
  tombstones: string[];
}

/** The operations on one lock with everything defaulted that a test does not talk about. */
export function lockOn(server: LockServer, { name = 'stock', client }: { name?: string; client?: Redis } = {}) {
  const keys = core.lockKeys(name);
  const granting = { claimMs: CLAIM, trust: false };
  const run = <Reply>(command: core.Command<Reply>) =>
    core.run(client === undefined ? server.port : scriptPort(client), command);
  return {
    keys,
    run,
    ask: (tenure: string, options: Partial<core.AskOptions> = {}) =>
      run(
        core.ask(keys, {
          tenure,
          leaseMs: LEASE,
          freshMs: FRESH,
          ticket: 0,
          freshTtlMs: FRESH_TTL,
          ...granting,
          ...options,
        }),
      ),
    again: (tenure: string, seq: number, leaseMs = 0) => run(core.again(keys, { tenure, seq, leaseMs })),
    handoff: (tenure: string, seq: number, leaseMs = LEASE) => run(core.handoff(keys, { tenure, seq, leaseMs })),
    release: (tenure: string, seq: number, options: Partial<core.ReleaseOptions> = {}) =>
      run(core.release(keys, { tenure, seq, tombstoneMs: 0, ...granting, ...options })),
    serve: () => run(core.serve(keys, granting)),
    rest: (tenure: string, seq: number, { tombstoneMs = 0 } = {}) =>
      run(core.rest(keys, { tenure, seq, tombstoneMs, restMs: LEASE, trust: false })),
    cancel: (tenure: string, options: Partial<core.CancelOptions> = {}) =>
      run(core.cancel(keys, { tenure, tombstoneMs: TOMBSTONE, end: 'unused', ...granting, ...options })),
    force: (request: string, options: Partial<core.ForceOptions> = {}) =>
      run(core.force(keys, { request, tombstoneMs: TOMBSTONE, ...granting, ...options })),
    renew: async (tenure: string, leaseMs = LEASE) => {
      const { outcomes } = await run(core.renew([{ keys, tenure, leaseMs }]));
      return outcomes[0];
    },
    inspect: () => run(core.inspect(keys)),
    peek: (tenure: string) => run(core.peek(keys, { tenure })),
    /** The waiting tenure's time is over. */
    makeStale: (tenure: string) => server.redis.hset(keys.fresh, tenure, `1 ${LEASE}`),
    /** As a lease that has run out, or a foreign DEL. */
    vanish: () => server.redis.del(keys.lock),
    pttl: () => server.redis.pttl(keys.lock),
    async state(): Promise<State> {
      const { redis } = server;
      return {
        lock: await redis.hgetall(keys.lock),
        queue: await redis.zrange(keys.queue, '0', '-1'),
        fresh: (await redis.hkeys(keys.fresh)).sort(),
        tombstones: (await redis.keys(keys.dead('*'))).sort(),
      };
    },
  };
}

export type Lock = ReturnType<typeof lockOn>;
