import { describe, expect, it } from '@jest/globals';
import * as core from '../src/index.js';
import { CLAIM, lockOn } from './support/lock.js';
import { useLockServer } from './support/lock-server.js';

const server = useLockServer();
type Lock = ReturnType<typeof lockOn>;
const [one, two, three] = ['one', 'two', 'three'].map((name) => lockOn(server, { name })) as [Lock, Lock, Lock];
const locks = [one, two, three];

const commandOf = ({ keys }: Lock, freshMs = 0) =>
  core.ask(keys, {
    tenure: 'a:1',
    leaseMs: 30_000,
    freshMs,
    ticket: 0,
    freshTtlMs: 50_000,
    claimMs: CLAIM,
    trust: false,
  });
const inChain = (...commands: core.Command<core.AskReply>[]) =>
  core.run(server.port, commands[0]?.chain?.(commands) as core.Call<readonly core.AskReply[]>);
const kinds = (replies: readonly core.AskReply[]) => replies.map(({ kind }) => kind);
const owners = () => Promise.all(locks.map(async (lock) => Object.keys((await lock.state()).lock)[0]));

describe('several asks in one command', () => {
  it('take the locks in their order, and are told so again when they arrive twice', async () => {
    const commands = locks.map((lock) => commandOf(lock));
    expect(kinds(await inChain(...commands))).toEqual(['acquired', 'acquired', 'acquired']);
    expect(kinds(await inChain(...commands))).toEqual(['mine', 'mine', 'mine']);
    expect(await owners()).toEqual(['a:1', 'a:1', 'a:1']);
  });

  it.each<[string, Lock, core.AskReply['kind'][], (string | undefined)[]]>([
    ['first', one, ['wait', 'dead', 'dead'], ['b:1', undefined, undefined]],
    ['second', two, ['acquired', 'dead', 'dead'], ['a:1', 'b:1', undefined]],
    ['last', three, ['acquired', 'acquired', 'dead'], ['a:1', 'a:1', 'b:1']],
  ])('end with the %s when it has an owner: only the first asks for a place', async (_, busy, replies, after) => {
    await busy.ask('b:1');
    expect(kinds(await inChain(...locks.map((lock) => commandOf(lock, 30_000))))).toEqual(replies);
    expect(await owners()).toEqual(after);
    expect((await two.state()).queue).toEqual([]);
  });

  it('end with the first when it has an owner and the tenure does not wait', async () => {
    await one.ask('b:1');
    expect(kinds(await inChain(...locks.map((lock) => commandOf(lock))))).toEqual(['busy', 'dead', 'dead']);
    expect(await owners()).toEqual(['b:1', undefined, undefined]);
  });

  it('leave a lock for which others wait to them, and one of a tenure that is over alone', async () => {
    await two.ask('b:1');
    await two.ask('c:1');
    await server.redis.del(two.keys.lock);
    expect(kinds(await inChain(...locks.map((lock) => commandOf(lock))))).toEqual(['acquired', 'dead', 'dead']);
    await one.release('a:1', 2);
    await three.cancel('a:1', { tombstoneMs: 1_000 });
    expect(kinds(await inChain(commandOf(one), commandOf(three)))).toEqual(['acquired', 'dead']);
  });

  it('tell a tenure what it has by an earlier copy, also behind a lock that was lost since', async () => {
    const commands = locks.map((lock) => commandOf(lock));
    await inChain(...commands);
    await server.redis.del(two.keys.lock);
    await two.ask('b:1');
    expect(kinds(await inChain(...commands))).toEqual(['mine', 'dead', 'mine']);
  });

  it('end with the first that Redis refuses', async () => {
    await server.redis.set(one.keys.lock, 'text');
    await expect(inChain(commandOf(one), commandOf(two))).rejects.toThrow('NOTALOCK');
    expect(await two.state()).toMatchObject({ lock: {} });
    await server.redis.del(one.keys.lock);
  });
});
