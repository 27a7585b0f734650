import { describe, expect, it } from '@jest/globals';
import * as core from '../src/index.js';
import { useLockServer } from './support/lock-server.js';

const server = useLockServer();
const granting = { claimMs: 3_000, trust: true };
const tenure = 'a:1';
const one = core.lockKeys('one');
const other = core.lockKeys('other');

const asking = { tenure, leaseMs: 60_000, freshMs: 9_000, ticket: 0, freshTtlMs: 9_000, ...granting };
const commands: Record<string, (keys: core.LockKeys) => core.Command<unknown>> = {
  ask: (keys) => core.ask(keys, asking),
  again: (keys) => core.again(keys, { tenure, seq: 2, leaseMs: 0 }),
  handoff: (keys) => core.handoff(keys, { tenure, seq: 3, leaseMs: 60_000 }),
  release: (keys) => core.release(keys, { tenure, seq: 4, tombstoneMs: 0, ...granting }),
  renew: (keys) => core.renew([{ keys, tenure, leaseMs: 60_000 }]),
  cancel: (keys) => core.cancel(keys, { tenure, tombstoneMs: 0, end: 'unused', ...granting }),
  force: (keys) => core.force(keys, { request: 'a:9', tombstoneMs: 5_000, ...granting }),
  peek: (keys) => core.peek(keys, { tenure }),
  inspect: (keys) => core.inspect(keys),
};

/** Gives every command the answer to the command before it. */
function outOfStep(): core.ScriptPort {
  let before: Promise<unknown> = Promise.resolve('OK');
  const behind = (answer: Promise<unknown>) => {
    const late = before;
    before = answer;
    return late;
  };
  return {
    evalsha: (sha, keys, args) => behind(server.port.evalsha(sha, keys, args)),
    eval: (source, keys, args) => behind(server.port.eval(source, keys, args)),
  };
}

describe.each([
  ['a lock that it owns', () => core.run(server.port, core.ask(one, asking))],
  ['a free lock', () => Promise.resolve()],
  ["another's lock", () => core.run(server.port, core.ask(one, { ...asking, tenure: 'b:1' }))],
])('of %s', (_, begin) => {
  it.each(Object.entries(commands))(
    'the answer to %s is believed by no other command, not even by a copy',
    async (_name, command) => {
      await server.redis.script('FLUSH');
      for (const build of Object.values(commands)) await server.redis.script('LOAD', build(one).script.source);
      await begin();
      const port = outOfStep();
      // What else comes on the connection may be no answer of ours.
      await expect(core.run(port, command(one))).rejects.toBeInstanceOf(core.ProtocolError);
      await expect(core.run(port, command(other))).rejects.toBeInstanceOf(core.MisdirectedReplyError);
      await expect(core.run(port, command(other))).rejects.toBeInstanceOf(core.MisdirectedReplyError);
    },
  );
});

it('an answer that names no question is not believed', async () => {
  const nameless: core.ScriptPort = {
    evalsha: async () => ['acquired', 1, 1, 60_000, 0],
    eval: async () => 'acquired',
  };
  await expect(core.run(nameless, core.ask(one, asking))).rejects.toThrow(/does not say which question/);
  const word: core.ScriptPort = { ...nameless, evalsha: async () => 'acquired' };
  await expect(core.run(word, core.ask(one, asking))).rejects.toThrow(/does not say which question/);
});
