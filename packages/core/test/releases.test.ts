import { describe, expect, it } from '@jest/globals';
import * as core from '../src/index.js';
import { CLAIM, lockOn, TOMBSTONE } from './support/lock.js';
import { useLockServer } from './support/lock-server.js';

const server = useLockServer();
const locks = ['one', 'two', 'three', 'four'].map((name) => lockOn(server, { name }));
const [one, two, three, four] = locks as [Lock, Lock, Lock, Lock];
type Lock = ReturnType<typeof lockOn>;

const commandOf = ({ keys }: Lock, seq: number, tombstoneMs = 0) =>
  core.release(keys, { tenure: 'a:1', seq, tombstoneMs, claimMs: CLAIM, trust: false });
const inOne = (...commands: core.Command<core.ReleaseReply>[]) =>
  core.run(server.port, commands[0]?.joint?.(commands) as core.Call<readonly core.ReleaseReply[]>);

describe('several releases in one command', () => {
  it('do what each does alone, and are answered in their order', async () => {
    for (const lock of [one, two, three]) await lock.ask('a:1');
    await one.ask('b:1');
    await two.again('a:1', 2);
    const channel = await server.listen(three.keys.releaseChannel);
    const commands = [commandOf(one, 2), commandOf(two, 3), commandOf(three, 2), commandOf(four, 2)];
    expect(await inOne(...commands)).toEqual([
      { kind: 'granted', to: 'b:1' },
      { kind: 'held', holdCount: 1 },
      { kind: 'released', left: 0 },
      { kind: 'notHeld' },
    ]);
    expect(await one.state()).toMatchObject({ lock: { 'b:1': '1' }, queue: [] });
    expect(await two.state()).toMatchObject({ lock: { 'a:1': '1', seq: '3' } });
    expect(await three.state()).toMatchObject({ lock: {} });
    expect(await channel.received()).toEqual([[three.keys.releaseChannel, '0']]);
  });

  it('change nothing when they arrive twice', async () => {
    for (const lock of [one, two]) await lock.ask('a:1');
    await two.again('a:1', 2);
    const commands = [commandOf(one, 2, TOMBSTONE), commandOf(two, 3, TOMBSTONE)];
    await inOne(...commands);
    await one.ask('b:1');
    expect(await inOne(...commands)).toEqual([
      { kind: 'released', left: 0 },
      { kind: 'held', holdCount: 1 },
    ]);
    expect(await one.state()).toMatchObject({ lock: { 'b:1': '1' } });
    expect(await one.ask('a:1')).toEqual({ kind: 'dead' });
  });

  it('end with the first that Redis refuses: those before it have run, those behind it have not, and run when they are sent alone', async () => {
    for (const lock of [one, two, three]) await lock.ask('a:1');
    const commands = [commandOf(one, 2), commandOf(two, 2), commandOf(three, 2)];
    const broken = { ...(commands[1] as core.Command<core.ReleaseReply>) };
    const args = broken.args.map((arg, index) => (index === 1 ? 'x' : arg));
    const refused = inOne(commands[0] as typeof broken, { ...broken, args }, commands[2] as typeof broken);
    await expect(refused).rejects.toThrow('must be a whole number');
    expect(await Promise.all([one, two, three].map(async (lock) => (await lock.state()).lock['a:1']))).toEqual([
      undefined,
      '1',
      '1',
    ]);
    expect(await core.run(server.port, broken)).toEqual({ kind: 'released', left: 0 });
  });

  it('are believed only when there is an answer for each', () => {
    const call = commandOf(one, 2).joint?.([commandOf(one, 2), commandOf(two, 2)]);
    expect(call?.decode(['released ', ['held', 1, '']])).toEqual([
      { kind: 'released', left: 0 },
      { kind: 'held', holdCount: 1 },
    ]);
    for (const raw of [
      [],
      ['released '],
      ['released ', 'released', 'released '],
      ['released ', 'released'],
      'released ',
    ])
      expect(() => call?.decode(raw)).toThrow(core.ProtocolError);
  });
});
