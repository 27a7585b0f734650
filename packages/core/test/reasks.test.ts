import { describe, expect, it } from '@jest/globals';
import * as core from '../src/index.js';
import { CLAIM, FRESH, FRESH_TTL, LEASE, lockOn } from './support/lock.js';
import { useLockServer } from './support/lock-server.js';

const server = useLockServer();
type Lock = ReturnType<typeof lockOn>;
const names = ['one', 'two', 'three', 'four'];
const locks = names.map((name) => lockOn(server, { name })) as [Lock, Lock, Lock, Lock];
const [one, two, three, four] = locks;

const asking = { leaseMs: LEASE, freshMs: FRESH, ticket: 0, freshTtlMs: FRESH_TTL, claimMs: CLAIM, trust: false };
const commandOf = ({ keys }: Lock, tenure: string, ticket = 0) => core.ask(keys, { ...asking, tenure, ticket });
const fencedOf = ({ keys }: Lock, tenure: string) =>
  core.askFenced(keys, { ...asking, freshMs: 0, tenure, tokens: 'count' });
const inOne = (...commands: core.Command<core.AskReply>[]) =>
  core.run(server.port, commands[0]?.joint?.(commands) as core.Call<readonly core.AskReply[]>);
const kinds = (replies: readonly core.AskReply[]) => replies.map(({ kind }) => kind);

describe('several asks in one command, each for itself', () => {
  it('do what each does alone, whatever becomes of those before them, and are answered in their order', async () => {
    await one.ask('b:1');
    await two.ask('a:2');
    await four.ask('a:4');
    await four.cancel('a:4');
    const commands = locks.map((lock, index) => commandOf(lock, `a:${index + 1}`));
    expect(kinds(await inOne(...commands))).toEqual(['wait', 'mine', 'acquired', 'dead']);
    expect(await one.state()).toMatchObject({ lock: { 'b:1': '1' }, queue: ['a:1'], fresh: ['a:1'] });
    expect(await three.state()).toMatchObject({ lock: { 'a:3': '1' } });
    expect(await four.state()).toMatchObject({ lock: {} });
  });

  it('keep the places that their tickets say, also for waiters that were passed over', async () => {
    for (const lock of locks) await lock.ask('b:1');
    const first = await inOne(...locks.map((lock) => commandOf(lock, 'a:1')));
    const tickets = first.map((reply) => (reply.kind === 'wait' ? reply.ticket : 0));
    for (const lock of [one, two]) await server.redis.zrem(lock.keys.queue, 'a:1');
    for (const lock of locks) await lock.ask('c:1');
    const again = await inOne(...locks.map((lock, index) => commandOf(lock, 'a:1', tickets[index])));
    expect(again.map((reply) => (reply.kind === 'wait' ? [reply.position, reply.ticket] : undefined))).toEqual(
      tickets.map((ticket) => [0, ticket]),
    );
    for (const lock of locks) expect((await lock.state()).queue).toEqual(['a:1', 'c:1']);
  });

  it('tell each owner that somebody waits at the head', async () => {
    for (const lock of [one, two]) await lock.ask('b:1');
    const inbox = await server.listen(core.inboxChannel('b'));
    await inOne(commandOf(one, 'a:1'), commandOf(two, 'a:2'));
    expect(await inbox.received()).toEqual([one, two].map(() => [core.inboxChannel('b'), '1 contended b:1']));
  });

  it('change nothing when they arrive twice', async () => {
    await one.ask('b:1');
    const commands = [commandOf(one, 'a:1'), commandOf(two, 'a:2')];
    expect(kinds(await inOne(...commands))).toEqual(['wait', 'acquired']);
    expect(kinds(await inOne(...commands))).toEqual(['wait', 'mine']);
    expect(await one.state()).toMatchObject({ queue: ['a:1'] });
    expect(await two.state()).toMatchObject({ lock: { 'a:2': '1', seq: '1' } });
  });

  it('end with the first that Redis refuses: those before it have run, those behind it have not, and run when they are sent alone', async () => {
    await one.ask('b:1');
    await server.redis.set(two.keys.lock, 'text');
    server.expectLasting(two.keys.lock);
    const commands = [one, two, three].map((lock) => commandOf(lock, 'a:1'));
    await expect(inOne(...commands)).rejects.toThrow('NOTALOCK');
    expect((await one.state()).queue).toEqual(['a:1']);
    expect(await three.state()).toMatchObject({ lock: {} });
    const alone = await Promise.allSettled(commands.map((command) => core.run(server.port, command)));
    expect(alone.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await three.state()).lock['a:1']).toBe('1');
  });

  it('give each new owner a token of its own lock, where locks have tokens', async () => {
    await server.redis.mset(one.keys.tokenCounter, 7, three.keys.tokenCounter, 40);
    server.expectLasting(...[one, two, three].map(({ keys }) => keys.tokenCounter));
    await two.ask('b:1');
    const commands = [one, two, three].map((lock) => fencedOf(lock, 'a:1'));
    const told = (replies: readonly core.AskReply[]) =>
      replies.map((reply) => ('token' in reply ? [reply.kind, reply.token] : [reply.kind]));
    expect(told(await inOne(...commands))).toEqual([['acquired', 8], ['busy'], ['acquired', 41]]);
    expect(told(await inOne(...commands))).toEqual([['mine', 8], ['busy'], ['mine', 41]]);
  });
});
