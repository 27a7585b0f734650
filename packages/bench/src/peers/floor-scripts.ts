import { ask, lockKeys, release, run, type ScriptPort } from '@holdfast/core';
import { connect } from './connect.js';
import { inside, type Peer } from './peer.js';

const granting = { claimMs: 3_000, trust: true };

export const floorScripts: Peer = {
  name: 'floor: our scripts',
  kind: 'floor',
  renews: false,
  reenters: false,
  settings:
    'the `ask` and `release` of `@holdfast/core` by EVALSHA, without a client around them; no waiting, no renewal',
  async connect(options) {
    const redis = await connect(options);
    const port: ScriptPort = {
      evalsha: (sha, keys, args) => redis.evalsha(sha, keys.length, ...keys, ...args),
      eval: (source, keys, args) => redis.eval(source, keys.length, ...keys, ...args),
    };
    let last = 0;
    const attempt = async (name: string) => {
      const keys = lockKeys(name);
      const tenure = `${process.pid}:${++last}`;
      const terms = { tenure, leaseMs: options.leaseMs, freshMs: 0, ticket: 0, freshTtlMs: 1, ...granting };
      if ((await run(port, ask(keys, terms))).kind !== 'acquired') return undefined;
      return () => run(port, release(keys, { tenure, seq: 2, tombstoneMs: 0, ...granting }));
    };
    const acquire = async (name: string) => {
      const giveBack = await attempt(name);
      if (giveBack === undefined) throw new Error(`${name} is taken`);
      return giveBack;
    };
    return {
      locker: () => ({
        run: (name, section) => inside(acquire(name), section),
        async tryOnce(name) {
          const giveBack = await attempt(name);
          await giveBack?.();
          return giveBack !== undefined;
        },
        hold: acquire,
      }),
    };
  },
};
