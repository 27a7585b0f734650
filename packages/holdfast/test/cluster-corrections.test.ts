import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { keySlot } from '@holdfast/core';
import type { Cluster } from 'ioredis';
import { ClusterTopology } from '../src/connection/cluster-topology.js';
import type { Connection } from '../src/connection/connection.js';
import type { Covers } from '../src/connection/topology.js';
import { drivenTools } from './support/driven-tools.js';

const SLOTS = 16_384;
const names = Array.from({ length: 1_000 }, (_, index) => `lock:${index}`);

/** A Cluster whose map is known, and of whose servers none can be reached. */
function setUp() {
  const template = Object.assign(new EventEmitter(), {
    status: 'ready',
    options: {},
    slots: Array.from({ length: SLOTS }, () => ['old:1']),
    nodes: (role?: string) => (role === 'slave' ? [{ options: { host: 'replica', port: 3 } }] : []),
    disconnect: () => undefined,
    duplicate: () => template,
    refreshSlotsCache: () => asked.push(tools.now()),
  });
  const asked: number[] = [];
  const turns: (() => void)[] = [];
  const { tools, due, passAll, stall } = drivenTools();
  const topology = new ClusterTopology(template as unknown as Cluster, {
    ...tools,
    nextTurn: (run) => void turns.push(run),
  });
  template.emit('refresh');
  const told: Covers[] = [];
  topology.listen({ onUp: (covers) => told.push(covers), onDown: () => undefined });
  const refuse = (code: string, lockKey: string, to = 'new:2') =>
    topology.refused({
      connection: { node: 'old:1' } as Connection,
      code,
      message: `${code} ${keySlot(lockKey)} ${to}`,
    });
  const turn = () => {
    for (const run of turns.splice(0)) run();
  };
  /** As ioredis knows them: its list ends with the last slot that a server keeps. */
  const learn = (isKept: (slot: number) => boolean, keepers = ['old:1']) => {
    template.slots = [];
    for (let slot = 0; slot < SLOTS; slot++) if (isKept(slot)) template.slots[slot] = keepers;
    template.emit('refresh');
  };
  /** No node could be asked, and ioredis begins anew with those that the user named. */
  const fail = (why: string) => template.emit('error', new Error(why));
  return { topology, told, refuse, turn, learn, fail, turnsAwaited: () => turns.length, asked, due, passAll, stall };
}

describe('slots that no server keeps any more', () => {
  it.each([
    ['lowest', (slot: number) => slot < SLOTS / 4],
    ['highest', (slot: number) => slot >= (SLOTS * 3) / 4],
    ['last of all', () => true],
  ])('are told where they are the %s, and have an owner again as soon as one says so', (_, isLost) => {
    const { topology, told, refuse, turn, learn } = setUp();
    const lost = names.filter((name) => isLost(keySlot(name)));
    learn((slot) => !isLost(slot));
    expect(told).toHaveLength(1);
    expect(names.filter((name) => told[0]?.(name))).toEqual(lost);
    expect(names.filter((name) => topology.nodeOf(name) === undefined)).toEqual(lost);
    for (const name of lost) refuse('MOVED', name);
    turn();
    expect(names.filter((name) => topology.nodeOf(name) === 'new:2')).toEqual(lost);
  });
});

/** One that others know no more: it came back as a new node at its old address. Its replicas stay what they are until somebody orders one to take over. */
describe('slots whose server has no address', () => {
  it('have no owner, and not the replica that ioredis names in its place', () => {
    const { topology, learn } = setUp();
    learn(() => true, ['replica:3']);
    expect(names.filter((name) => topology.nodeOf(name) !== undefined)).toEqual([]);
    expect(topology.troubleWith('lock:1')?.message).toMatch(
      /^no node of the Cluster keeps the slot and has an address/,
    );
  });

  it.each(['MOVED', 'ASK'])('are looked for nowhere else when %s names none', (code) => {
    const { topology, refuse, turn, turnsAwaited } = setUp();
    expect(names.map((name) => refuse(code, name, ':0'))).toEqual(names.map(() => undefined));
    expect(turnsAwaited()).toBe(0);
    turn();
    expect(new Set(names.map((name) => topology.nodeOf(name)))).toEqual(new Set(['old:1']));
  });
});

/** Nothing is there then that a connection to it could be made of. */
describe('a lock whose server is known, but has no connection while the map cannot be had', () => {
  it('has the trouble of the map, and calls for it end at once where that lasts', () => {
    const { topology, fail } = setUp();
    const ended: boolean[] = [];
    topology.listen({ onLastingTrouble: (covers) => ended.push(covers('lock')) });
    expect(topology.troubleWith('lock')).toBeUndefined();
    fail('WRONGPASS');
    expect(topology.troubleWith('lock')?.message).toBe('WRONGPASS');
    expect(topology.reachOf('lock')).toEqual({ state: 'down' });
    expect(ended).toEqual([true]);
  });

  it('is waited for as one whose server is not known: nobody is told that it is busy', () => {
    const { topology, stall } = setUp();
    topology.whenReady('lock', () => undefined);
    stall(30);
    expect(topology.reachOf('lock')).toEqual({ state: 'connecting', silentMs: 30 });
  });
});

/** Each change has all leases and all commands under way looked at. */
describe('what servers of a Cluster say of their own slots', () => {
  it('is one change for all that is heard in one turn, in the next one', () => {
    const { topology, told, refuse, turn, turnsAwaited } = setUp();
    for (const name of names) refuse('MOVED', name);
    expect(told).toHaveLength(0);
    turn();
    expect(told).toHaveLength(1);
    expect(names.filter((name) => told[0]?.(name))).toEqual(names);
    expect(new Set(names.map((name) => topology.nodeOf(name)))).toEqual(new Set(['new:2']));
    expect(turnsAwaited()).toBe(0);
  });

  it('concerns no other slots, and of one slot the last word counts', () => {
    const { topology, told, refuse, turn } = setUp();
    refuse('MOVED', 'a', 'new:2');
    refuse('MOVED', 'a', ':3');
    turn();
    expect(['a', 'b'].map((name) => [topology.nodeOf(name), told[0]?.(name)])).toEqual([
      ['old:3', true],
      ['old:1', false],
    ]);
    refuse('MOVED', 'b');
    turn();
    expect([told.length, topology.nodeOf('a'), topology.nodeOf('b')]).toEqual([2, 'old:3', 'new:2']);
  });

  it.each(['::1:3', '::ffff:10.0.0.1:3', 'fd00::7:3'])('may name an address of IPv6: %s', (address) => {
    const { topology, refuse, turn } = setUp();
    refuse('MOVED', 'a', address);
    turn();
    expect(topology.nodeOf('a')).toBe(address);
  });

  it('changes nothing for a key that has gone ahead of its slot', () => {
    const { topology, told, refuse, turnsAwaited } = setUp();
    refuse('ASK', 'a');
    expect([turnsAwaited(), told.length, topology.nodeOf('a')]).toEqual([0, 0, 'old:1']);
  });

  it('is told to nobody once the client is closed', async () => {
    const { topology, told, refuse, turn } = setUp();
    refuse('MOVED', 'a');
    await topology.close();
    turn();
    expect(told).toHaveLength(0);
  });
});

describe('the map', () => {
  it('is asked for every half minute in peace, for the servers that it names may all be replaced one after the other', () => {
    const { asked, passAll } = setUp();
    expect(passAll()).toBe('there is always another timer');
    const pauses = asked.map((at, nth) => at - (asked[nth - 1] ?? 0));
    for (const pause of pauses) expect([pause >= 22_500, pause <= 30_000]).toEqual([true, true]);
  });

  it('is asked for at once when something goes on, and half a minute after that', () => {
    const { asked, refuse, passAll } = setUp();
    refuse('CLUSTERDOWN', 'lock');
    refuse('CLUSTERDOWN', 'lock');
    passAll();
    expect(asked[0]).toBe(0);
    expect(asked[1]).toBeGreaterThanOrEqual(22_500);
  });

  it('is not asked for together by all clients that a failover has had ask at once', () => {
    const seconds = Array.from({ length: 20 }, () => {
      const { asked, refuse, passAll } = setUp();
      refuse('CLUSTERDOWN', 'lock');
      passAll();
      return Math.floor((asked[1] as number) / 1_000);
    });
    expect(new Set(seconds).size).toBeGreaterThan(2);
  });

  it('is not asked for by a client that is closed', async () => {
    const { topology, due } = setUp();
    expect(due()).toHaveLength(1);
    await topology.close();
    expect(due()).toEqual([]);
  });
});
