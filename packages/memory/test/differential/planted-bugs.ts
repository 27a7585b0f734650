/** Bugs of a memory server, which the stories have to find out. */

import { bodies, type MemoryServer, type MemoryServerOptions, type ScriptBody } from '../../src/index.js';

/** One bug: in a script, or in a command of the server. */
export interface Planted {
  readonly bug: string;
  readonly options?: Partial<MemoryServerOptions>;
  readonly plant?: (server: MemoryServer) => void;
}

const body = (name: string): ScriptBody => bodies[name] as ScriptBody;

/** See the module comment. */
export const planted: readonly Planted[] = [
  {
    bug: 'a release whose number is old frees the lock',
    options: {
      scripts: {
        release: (redis, keys, args) =>
          body('release')(
            redis,
            keys,
            args.map((arg, i) => (i === 1 ? '9' : arg)),
          ),
      },
    },
  },
  {
    bug: 'a tombstone is never left',
    options: {
      scripts: {
        cancel: (redis, keys, args) =>
          body('cancel')(
            redis,
            keys,
            args.map((arg, i) => (i === 1 ? '0' : arg)),
          ),
      },
    },
  },
  {
    bug: 'a foreign owner passes for one of ours',
    options: {
      scripts: {
        ask: (redis, keys, args) => {
          const reply = body('ask')(redis, keys, args);
          return Array.isArray(reply) && reply[0] === 'wait' ? reply.map((item, i) => (i === 5 ? 0 : item)) : reply;
        },
      },
    },
  },
  {
    bug: 'a renewal makes a lease shorter',
    plant({ commands }) {
      commands.pttl = (key) => (commands.keys.find(key) === undefined ? -2 : 0);
    },
  },
  {
    bug: 'the last in the queue is served first',
    plant({ commands }) {
      const zpopmin = commands.zpopmin.bind(commands);
      commands.zpopmin = (key) => {
        const last = commands.zrangeWithScores(key, -1, -1)[0];
        if (last === undefined) return zpopmin(key);
        commands.zrem(key, last.member);
        return last;
      };
    },
  },
  {
    bug: 'a full server refuses also what follows a write',
    plant({ commands }) {
      const begin = commands.begin.bind(commands);
      commands.begin = (keys, nowMicros) => {
        begin(keys, nowMicros);
        const { hindrance } = commands;
        if (hindrance === undefined) return;
        commands.hindrance = (command, access) => hindrance(command, access, false);
      };
    },
  },
  {
    bug: 'a channel without a subscriber counts as one that is heard',
    plant({ commands }) {
      const numsub = commands.numsub.bind(commands);
      commands.numsub = (channel) => Math.max(1, numsub(channel));
    },
  },
  {
    bug: 'HSET takes away the TTL',
    plant({ commands }) {
      const hset = commands.hset.bind(commands);
      commands.hset = (key, ...pairs) => {
        const added = hset(key, ...pairs);
        commands.keys.expire(key, Number.POSITIVE_INFINITY);
        return added;
      };
    },
  },
  {
    bug: 'an entry with words of a later version is not understood',
    plant({ commands }) {
      const hget = commands.hget.bind(commands);
      commands.hget = (key, field) => {
        const entry = hget(key, field);
        return entry?.split(' ').length === 2 ? entry : undefined;
      };
    },
  },
  {
    bug: 'scripts are known for ever',
    plant(server) {
      server.flushScripts = () => undefined;
    },
  },
];
