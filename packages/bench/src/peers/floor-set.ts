import { createHash } from 'node:crypto';
import { connect } from './connect.js';
import { inside, type Peer } from './peer.js';

const source = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`;
const sha = createHash('sha1').update(source).digest('hex');

export const floorSet: Peer = {
  name: 'floor: SET NX',
  kind: 'floor',
  renews: false,
  reenters: false,
  settings: 'bare `SET NX PX`, then compare and delete in a script by EVALSHA; no waiting, no renewal',
  async connect(options) {
    const redis = await connect(options);
    await redis.script('LOAD', source);
    let last = 0;
    const acquire = async (name: string) => {
      const value = `${process.pid}:${++last}`;
      if ((await redis.set(name, value, 'PX', options.leaseMs, 'NX')) === null) throw new Error(`${name} is taken`);
      return () => redis.evalsha(sha, 1, name, value);
    };
    return {
      locker: () => ({
        run: (name, section) => inside(acquire(name), section),
        async tryOnce(name) {
          return (await redis.set(name, 'other', 'PX', options.leaseMs, 'NX')) !== null;
        },
        hold: acquire,
      }),
    };
  },
};
