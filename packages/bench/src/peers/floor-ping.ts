import { connect } from './connect.js';
import { inside, type Peer } from './peer.js';

export const floorPing: Peer = {
  name: 'floor: PING',
  kind: 'floor',
  renews: false,
  reenters: false,
  settings: 'two bare PINGs in place of lock and unlock, one in place of an attempt',
  async connect(options) {
    const redis = await connect(options);
    const acquire = async () => {
      await redis.ping();
      return () => redis.ping();
    };
    return {
      locker: () => ({
        run: (_name, section) => inside(acquire(), section),
        async tryOnce() {
          await redis.ping();
          return false;
        },
        hold: acquire,
      }),
    };
  },
};
