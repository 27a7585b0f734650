/** What the command line says of a Cluster of which one part does not answer. */
import { isDeepStrictEqual } from 'node:util';
import { clientKey } from '@holdfast/core';
import { type RedisKit, type RedisServer, startPrivateRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClient, LockClientOptions } from 'holdfast';
import { Cluster, type Redis } from 'ioredis';
import { Degrading } from '../../../../examples/degrading/degrading.js';
import { type Finding, holdfast, type Outcome, Running } from '../cli/terminal.js';
import { createUserOn, password } from '../support/acl-rules.js';
import { freshName } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { useCluster } from '../support/topologies.js';

/** No replica takes over while a test looks. */
const kit = useCluster({ nodeTimeoutMs: 60_000, args: ['--cluster-require-full-coverage', 'no'] });

/** The master that will be ill, and a call by way of another one. */
async function scene() {
  const [ill, { url }] = [await kit.cluster.nodeOfKey('a'), await kit.cluster.nodeOfKey('b')];
  return { ill, node: `${ill.host}:${ill.port}`, call: (...args: string[]) => callBy(url, ...args) };
}

async function callBy(url: string, ...args: string[]) {
  const server = { server: { url }, cleanup: kit.cleanup } as unknown as RedisKit;
  const [command = '', ...more] = args;
  return holdfast(server, [command, '--cluster', '--timeout', '2s', '--json', ...more]);
}

function examined({ code, json }: Outcome) {
  const [{ findings }] = json as [{ findings: Finding[] }];
  return { code, of: (check: string) => findings.filter((finding) => finding.check === check) };
}

describe('who looks at locks while a master hangs is told which one it is by', () => {
  it.each([[['inspect', 'a']], [['unlock', 'a', '--yes']]])(
    '%j',
    async (command) => {
      const { ill, node, call } = await scene();
      await ill.stopProcess();
      const { code, errors } = await call(...command);
      await ill.continueProcess();
      expect({ code, error: JSON.parse(errors) }).toEqual({
        code: 69,
        error: {
          error: { code: 'LOCK_UNAVAILABLE', message: expect.stringMatching(`${node}:? .*did not answer in time`) },
        },
      });
    },
    60_000,
  );
});

describe('while one master does not answer', () => {
  it('the client has trouble with its locks only, and work that may go on without them takes the others', async () => {
    const { ill } = await scene();
    const [away, there] = [`{a}${freshName()}`, `{b}${freshName()}`] as const;
    const client = kit.open({ attemptTimeoutMs: 500 });
    expect(client.troubleWith(away)).toBeUndefined();
    await client.connect();
    const service = new Degrading(client);
    const run = (name: string) => service.run(name, 'go on', async (hold) => hold?.state);
    const other = await kit.open({ watchdogTimeoutMs: 60_000 }).getLock(there).acquire();
    await ill.stopProcess();
    const troubled = async () => {
      expect(await run(away)).toEqual({ how: 'without the lock', value: undefined });
      return client.troubleWith(away);
    };
    expect(await waitUntil(troubled, { what: 'the trouble', timeoutMs: 30_000 })).toBeInstanceOf(Error);
    expect(client.ready).toBe(false);
    expect(client.troubleWith(there)).toBeUndefined();
    expect(await run(there)).toEqual({ how: 'busy' });
    await other.release();
    expect(await run(there)).toEqual({ how: 'with the lock', value: 'held' });
    await ill.continueProcess();
    await waitUntil(() => client.troubleWith(away) === undefined, {
      what: 'the end of the trouble',
      timeoutMs: 30_000,
    });
    expect(await run(away)).toEqual({ how: 'with the lock', value: 'held' });
  }, 90_000);
});

describe('who lists locks sees those of the masters that answer, and which one does not:', () => {
  /** A lock of the master that will be ill, and one of another. */
  async function held(call: (...args: string[]) => Promise<Outcome>) {
    const [away, there] = [`{a}${freshName()}`, `{b}${freshName()}`];
    const client = kit.open({ watchdogTimeoutMs: 60_000 });
    for (const name of [away, there]) await client.getLock(name).acquire();
    const whole = (await call('ls')).json.map((lock) => (lock as { name: string }).name);
    expect(whole).toEqual(expect.arrayContaining([away, there]));
    return { away, there };
  }

  const partial = (node: string) => ({
    error: { code: 'PARTIAL_VIEW', message: expect.stringContaining(node) },
  });

  it('ls and graph', async () => {
    const { ill, node, call } = await scene();
    const { there } = await held(call);
    await ill.stopProcess();
    const [ls, graph] = [await call('ls', '*{b}*'), await call('graph')];
    const none = await call('ls', 'no-such-lock');
    await ill.continueProcess();
    expect(ls.json).toEqual([expect.objectContaining({ name: there })]);
    expect(graph.json).toEqual([{ waits: [], circles: [] }]);
    expect(none.json).toEqual([]);
    for (const { code, errors } of [ls, graph, none]) {
      expect({ code, error: JSON.parse(errors) }).toEqual({ code: 0, error: partial(node) });
    }
  }, 60_000);

  it('ls of semaphores and of latches, also where it has as many as it may', async () => {
    const { ill, node, call } = await scene();
    const client = kit.open({ watchdogTimeoutMs: 60_000 });
    const pools = [`{a}${freshName()}`, `{b}${freshName()}`] as const;
    for (const name of pools) await client.getSemaphore(name, { permits: 2 }).acquire();
    const latch = client.getCountDownLatch(`{b}${freshName()}`);
    await latch.trySetCount(2);
    await ill.stopProcess();
    const semaphores = await call('ls', '--kind', 'semaphore');
    const latches = await call('ls', '--kind', 'latch');
    const one = await call('ls', '--kind', 'semaphore', '--limit', '1');
    await ill.continueProcess();
    expect(semaphores.json).toEqual([expect.objectContaining({ name: pools[1] })]);
    expect(latches.json).toEqual([expect.objectContaining({ name: latch.name })]);
    expect(one.json).toHaveLength(1);
    for (const { code, errors } of [semaphores, latches, one])
      expect({ code, error: JSON.parse(errors) }).toEqual({ code: 0, error: partial(node) });
  }, 60_000);

  it('client.listLocks(), which names it by a property: words may change', async () => {
    const { ill, node, call } = await scene();
    const { there } = await held(call);
    const client = kit.open({ responseTimeoutMs: 2_000, attemptTimeoutMs: 500 });
    await ill.stopProcess();
    const seen: string[] = [];
    const read = async () => {
      for await (const { name } of client.listLocks()) seen.push(name);
    };
    const error: unknown = await read().catch((failure: unknown) => failure);
    await ill.continueProcess();
    expect(seen).toContain(there);
    expect(error).toMatchObject({ code: 'LOCK_UNAVAILABLE', missing: [node] });
  }, 60_000);

  it('watch, which calls no lock free whose server it cannot ask', async () => {
    const { ill, node, call } = await scene();
    const { away, there } = await held(call);
    const { url } = await kit.cluster.nodeOfKey('b');
    const server = { server: { url }, cleanup: kit.cleanup } as unknown as RedisKit;
    const options = ['--cluster', '--timeout', '1s', '--every', '100ms', '--json'];
    const watch = new Running(server, ['watch', `*`, ...options]);
    const told = (change: string, name: string) =>
      waitUntil(() => watch.json.some((line) => isDeepStrictEqual(pick(line), { change, name })), {
        what: `${name} to be ${change}`,
        timeoutMs: 20_000,
      });
    await told('held', away);
    await ill.stopProcess();
    await waitUntil(() => watch.errors !== '', { what: 'it to say what is missing', timeoutMs: 20_000 });
    const later = `{b}${freshName()}`;
    const hold = await kit.open().getLock(later).acquire();
    await told('held', later);
    expect(watch.json.map(pick)).not.toContainEqual({ change: 'free', name: expect.anything() });
    expect(JSON.parse(watch.errors)).toEqual(partial(node));
    await ill.continueProcess();
    await hold.release();
    await told('free', later);
    watch.tell('SIGTERM');
    expect((await watch.ended).code).toBe(0);
    const free = watch.json.map(pick).filter(({ change }) => change === 'free');
    expect(free.map(({ name }) => name)).not.toEqual(expect.arrayContaining([away]));
    expect(free.map(({ name }) => name)).not.toEqual(expect.arrayContaining([there]));
  }, 90_000);
});

/** A client whose name a server would keep. */
async function openKeptBy(server: RedisServer, options: Partial<LockClientOptions>): Promise<LockClient> {
  for (;;) {
    const client = kit.open({ watchdogTimeoutMs: 60_000, ...options });
    const keeper = await kit.cluster.nodeOfKey(clientKey(client.clientId));
    if (keeper.port === server.port) return client;
    await client.close();
  }
}

it('inspect and unlock say that names are missing whose server is away, and name it', async () => {
  const { ill, node, call } = await scene();
  const client = await openKeptBy(ill, { clientName: 'orders' });
  const [name, pool] = [`{b}${freshName()}`, `{b}${freshName()}`];
  await client.getLock(name).acquire();
  await client.getSemaphore(pool, { permits: 2 }).acquire();
  const isNamed = async () => (await client.inspect(name)).owner?.client?.name === 'orders';
  await waitUntil(isNamed, { what: 'its name to be there' });
  const named = await call('inspect', name);
  await ill.stopProcess();
  const seen = [await call('inspect', name), await call('inspect', pool), await call('unlock', name, '--yes')];
  const free = await call('inspect', `{b}${freshName()}`);
  await ill.continueProcess();
  expect(named).toMatchObject({ code: 0, errors: '', json: [{ owner: { client: { name: 'orders' } } }] });
  // The time of the command and that of the connection are over together.
  const message = expect.stringMatching(
    `^some names are missing.*${node} .*(did not answer in time|closed)`,
  ) as unknown;
  for (const { code, errors } of seen)
    expect({ code, error: JSON.parse(errors) }).toEqual({
      code: 0,
      error: { error: { code: 'PARTIAL_VIEW', message } },
    });
  expect(free).toMatchObject({ code: 1, errors: '' });
}, 60_000);

it('unlock --yes takes the lock of a master that answers before it has waited for one that does not', async () => {
  const { ill } = await scene();
  const healthy = await kit.cluster.nodeOfKey('b');
  const name = `{b}${freshName()}`;
  await (await openKeptBy(ill, { clientName: 'orders' })).getLock(name).acquire();
  const admin = await healthy.admin();
  await ill.stopProcess();
  const server = { server: { url: healthy.url }, cleanup: kit.cleanup } as unknown as RedisKit;
  const call = new Running(server, ['unlock', name, '--yes', '--cluster', '--timeout', '40s']);
  const isTaken = async () => (await admin.exists(name)) === 0;
  try {
    await waitUntil(isTaken, { what: 'the lock to be taken', timeoutMs: 20_000 });
  } finally {
    await ill.continueProcess();
  }
  expect(await call.ended).toMatchObject({ code: 0, output: expect.stringContaining(`took ${name} from`) });
}, 60_000);

it('inspect says nothing of names where a key prefix keeps them beside the lock', async () => {
  const { ill, call } = await scene();
  const redis = new Cluster(
    kit.nodes.map(({ host, port }) => ({ host, port })),
    { lazyConnect: true, keyPrefix: '{b}' },
  );
  kit.cleanup(() => redis.disconnect());
  const client = await openKeptBy(ill, { redis, clientName: 'orders' });
  const name = freshName();
  await client.getLock(name).acquire();
  const beside = await (await kit.cluster.nodeOfKey('b')).admin();
  // It is gone, and not away.
  await waitUntil(async () => (await beside.del(`{b}${clientKey(client.clientId)}`)) === 1, {
    what: 'its name to be there',
  });
  await ill.stopProcess();
  const { code, errors } = await call('inspect', name, '--key-prefix', '{b}');
  await ill.continueProcess();
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
}, 60_000);

/** What a line of `watch` tells. */
function pick(line: unknown) {
  const { change, name } = line as { change: string; name: string };
  return { change, name };
}

it('inspect says of names whose slot no node keeps that it is so, and names no server', async () => {
  const keeper = await kit.cluster.nodeOfKey('a');
  const client = await openKeptBy(keeper, { clientName: 'orders' });
  const name = `{b}${freshName()}`;
  await client.getLock(name).acquire();
  const slot = await kit.cluster.slotOf(clientKey(client.clientId));
  const admins = await Promise.all((await kit.cluster.masters()).map((master) => master.admin()));
  const id = await (await keeper.admin()).call('CLUSTER', 'MYID');
  for (const admin of admins) await admin.call('CLUSTER', 'DELSLOTS', slot);
  const { code, errors } = await (await scene()).call('inspect', name);
  for (const admin of admins) await admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', String(id));
  const message = 'some names are missing, and since when: no node keeps their slots';
  expect({ code, error: JSON.parse(errors) }).toEqual({ code: 0, error: { error: { code: 'PARTIAL_VIEW', message } } });
}, 60_000);

it('inspect says that a name is not shown where Redis has one of the client', async () => {
  const keeper = await kit.cluster.nodeOfKey('a');
  const client = await openKeptBy(keeper, { clientName: 'orders' });
  const name = `{b}${freshName()}`;
  const hold = await client.getLock(name).acquire();
  const { call } = await scene();
  const without = await call('inspect', name);
  // Unlike a server that is late, this is not over when the command looks once more.
  await (await keeper.admin()).set(clientKey(client.clientId), 'no card', 'PX', 60_000);
  const { code, errors } = await call('inspect', name);
  await hold.release();
  expect(without).toMatchObject({ code: 0, errors: '' });
  const message = 'some clients have a name that is not shown: ask again';
  expect({ code, error: JSON.parse(errors) }).toEqual({ code: 0, error: { error: { code: 'PARTIAL_VIEW', message } } });
}, 60_000);

it('who looks at locks is told which servers do not know the user, where others do', async () => {
  const { node } = await scene();
  const knows = await kit.cluster.nodeOfKey('b');
  await createUserOn([knows], 'limited', 'operator', 'in-a-cluster');
  const { code, errors } = await callBy(`redis://limited:${password}@${knows.host}:${knows.port}`, 'ls');
  await (await knows.admin()).acl('DELUSER', 'limited');
  expect({ code, errors }).toEqual({ code: 0, errors: expect.stringMatching(`PARTIAL_VIEW.*${node}.*WRONGPASS`) });
});

it('a node that keeps every slot and has met no other is said to have no address, and what gives it one', async () => {
  const alone = await startPrivateRedis({ args: ['--cluster-enabled', 'yes'] });
  kit.cleanup(() => alone.stop());
  await (await alone.admin()).call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  const { code, errors } = await callBy(alone.url, 'ls');
  expect({ code, errors }).toEqual({ code: 69, errors: expect.stringMatching(/an address: .* cluster-announce-ip/) });
});

describe('the doctor names a slot that is on its way,', () => {
  type Ends = readonly [giver: 'gives' | 'keeps' | 'has given', taker: 'takes' | 'leaves'];

  /** What is said while the server of `a` and that of `b` are told this of the slot of `a`. */
  async function during(
    [giver, taker]: Ends,
    what: (call: (...args: string[]) => Promise<Outcome>, giver: string, taker: string) => Promise<void>,
  ) {
    const [from, to] = [await kit.cluster.nodeOfKey('a'), await kit.cluster.nodeOfKey('b')];
    const slot = await kit.cluster.slotOf('a');
    const [source, target] = [await from.admin(), await to.admin()];
    try {
      if (taker === 'takes') await target.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', await idOf(source));
      if (giver === 'gives') await source.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', await idOf(target));
      if (giver === 'has given') {
        // What calls before have left there would keep the slot where it is.
        const left = (await source.call('CLUSTER', 'GETKEYSINSLOT', slot, 1_000)) as string[];
        if (left.length > 0) await source.del(left);
        await source.call('CLUSTER', 'SETSLOT', slot, 'NODE', await idOf(target));
      }
      await what((...args) => callBy(to.url, ...args), `${from.host}:${from.port}`, `${to.host}:${to.port}`);
    } finally {
      if (giver === 'has given') await source.call('CLUSTER', 'SETSLOT', slot, 'NODE', await idOf(source));
      for (const admin of [source, target]) await admin.call('CLUSTER', 'SETSLOT', slot, 'STABLE');
    }
  }

  const idOf = async (admin: Redis) => String(await admin.call('CLUSTER', 'MYID'));
  const inItsSlot = ['--prefix', '{a}'];

  it('whose locks wait for it, and calls no server silent', async () => {
    await during(['gives', 'takes'], async (call, giver, taker) => {
      const { code, of } = examined(await call('doctor', ...inItsSlot));
      const detail = expect.stringMatching(`^15495: on the way to ${taker}: .* neither taken nor given back`);
      expect(of('slots')).toContainEqual({ check: 'slots', status: 'bad', node: giver, detail });
      expect(of('lock')).toMatchObject([{ status: 'bad', detail: expect.stringContaining('TRYAGAIN') }]);
      expect(code).toBe(1);
      // Nothing is wrong with other slots, of which one is tried.
      expect(examined(await call('doctor')).of('lock')).toMatchObject([{ status: 'ok' }]);
      // The last answer may be the first node's, which sends it on.
      const errors = await waitUntil(async () => {
        const run = await call('run', 'a', '--wait', '1s', '--', 'true');
        return run.errors.includes('TRYAGAIN') && run.errors;
      });
      expect(errors).not.toContain('look at');
    });
  }, 60_000);

  it('whose new server knows nothing of it: its locks cannot be taken', async () => {
    await during(['gives', 'leaves'], async (call, giver, taker) => {
      const { of } = examined(await call('doctor', ...inItsSlot));
      const detail = expect.stringMatching(`^15495: given to ${taker}, which does not take them`);
      expect(of('slots')).toContainEqual({ check: 'slots', status: 'bad', node: giver, detail });
      expect(of('lock')).toMatchObject([{ status: 'bad' }]);
    });
  }, 60_000);

  it('whose old server keeps it: locks do not mind', async () => {
    await during(['keeps', 'takes'], async (call, giver, taker) => {
      const { code, of } = examined(await call('doctor', ...inItsSlot));
      const detail = expect.stringMatching(`^15495: to come from ${giver}, which keeps them`);
      expect(of('slots')).toContainEqual({ check: 'slots', status: 'warn', node: taker, detail });
      expect(of('lock')).toMatchObject([{ status: 'ok' }]);
      expect(code).toBe(0);
    });
  }, 60_000);

  it('whose old server has handed it over, while the new one waits for it: its locks cannot be taken', async () => {
    await during(['has given', 'takes'], async (call, giver, taker) => {
      const { code, of } = examined(await call('doctor', ...inItsSlot));
      const detail = expect.stringMatching(`^15495: to come from ${giver}, which does not keep them, nor does another`);
      expect(of('slots')).toContainEqual({ check: 'slots', status: 'bad', node: taker, detail });
      expect(of('slots')).not.toContainEqual(expect.objectContaining({ status: 'warn' }));
      expect(of('lock')).toMatchObject([{ status: 'bad' }]);
      expect(code).toBe(1);
      // Of other slots, one is tried.
      expect(examined(await call('doctor')).of('lock')).toMatchObject([{ status: 'ok' }]);
    });
  }, 60_000);

  it('unless it may not look, which it says', async () => {
    const { nodes } = kit.cluster;
    await createUserOn(nodes, 'limited', 'locks', 'in-a-cluster');
    const [{ host, port }] = nodes as [(typeof nodes)[number]];
    const url = `redis://limited:${password}@${host}:${port}`;
    const { of } = examined(await callBy(url, 'doctor', '--prefix', 'lock:'));
    for (const node of nodes) await (await node.admin()).acl('DELUSER', 'limited');
    expect(of('slots').slice(1)).toEqual([
      { check: 'slots', status: 'unknown', detail: expect.stringContaining('give +cluster|nodes') },
    ]);
  });
});

it('a node that has left the Cluster is passed over, however often it is the one that is asked', async () => {
  const gone = await startPrivateRedis({ args: ['--cluster-enabled', 'yes'] });
  kit.cleanup(() => gone.stop());
  const { url } = await kit.cluster.nodeOfKey('a');
  for (let time = 0; time < 8; time++) {
    const { of } = examined(await callBy(url, 'doctor', '--redis', url, '--redis', gone.url));
    expect(of('reachable')).toMatchObject([{ status: 'ok', detail: expect.stringContaining('3 masters') }]);
  }
}, 60_000);

const PING = 0;
const NOTHING = -1;

/** From Redis 7.2 on nodes tell each other whom they have been told to forget: there nobody hears anybody meanwhile. Before 7.0 that cannot be had. */
async function makeIgnorant(ignorant: RedisServer, other: RedisServer) {
  const admin = await ignorant.admin();
  const drop = async (what: number) => {
    for (const node of kit.nodes) await (await node.admin()).call('DEBUG', 'DROP-CLUSTER-PACKET-FILTER', what);
  };
  const isSilent = await drop(PING).then(
    () => true,
    () => false,
  );
  kit.cleanup(async () => {
    if (isSilent) await drop(NOTHING);
    await admin.call('CLUSTER', 'MEET', other.host, other.port);
    await kit.cluster.whenAgreed();
  });
  if (isSilent) await admin.call('CLUSTER', 'DELSLOTSRANGE', 0, 5_460);
  else await admin.call('CLUSTER', 'FORGET', String(await (await other.admin()).call('CLUSTER', 'MYID')));
}

it('the doctor names a node that knows nothing of another which all others know', async () => {
  const [ignorant, other] = [await kit.cluster.nodeOfKey('a'), await kit.cluster.nodeOfKey('b')];
  await makeIgnorant(ignorant, other);
  const { code, of } = examined(await callBy(other.url, 'doctor'));
  const detail = expect.stringMatching(/^0-5460: it has another node for them than most, or none/);
  expect(of('slots')).toEqual([{ check: 'slots', status: 'bad', node: `${ignorant.host}:${ignorant.port}`, detail }]);
  expect(code).toBe(1);
}, 60_000);

it('the doctor names slots that no node keeps', async () => {
  const keeper = await kit.cluster.nodeOfKey('b');
  const others = (await kit.cluster.masters()).filter((master) => master !== keeper);
  const slots = ['10', '12', '13'];
  // Their keeper first: from it the others would learn of them again.
  for (const node of [keeper, ...others]) await (await node.admin()).call('CLUSTER', 'DELSLOTS', ...slots);
  const { code, of } = examined(await callBy(keeper.url, 'doctor'));
  // Without them it would take no commands.
  await (await keeper.admin()).call('CLUSTER', 'ADDSLOTS', ...slots);
  const isWell = async () =>
    examined(await callBy(keeper.url, 'doctor'))
      .of('slots')
      .every(({ status }) => status === 'ok');
  await waitUntil(isWell, { what: 'all to know who keeps them', timeoutMs: 30_000 });
  expect(of('slots')).toContainEqual({ check: 'slots', status: 'bad', detail: '10, 12-13: no node keeps them' });
  expect(code).toBe(1);
}, 60_000);

it('connect() says why a master cannot be reached, whichever of them it is', async () => {
  for (const ill of await kit.cluster.masters()) {
    await ill.kill();
    const error = await failureOf(kit.open().connect({ timeoutMs: 3_000 }));
    await ill.restart();
    await kit.cluster.whenReady();
    expect(error).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      message: expect.stringContaining(`ECONNREFUSED ${ill.host}:${ill.port}`),
    });
  }
}, 120_000);

describe('the doctor names a master that does not answer with its slots, looks at the others, and takes a lock of theirs:', () => {
  const looksAtTheRest = (outcome: Outcome, node: string, why: RegExp) => {
    const { code, of } = examined(outcome);
    expect(of('reachable')).toEqual([
      { check: 'reachable', status: 'ok', detail: expect.stringMatching(/, 2 of 3 masters$/) },
      { check: 'reachable', status: 'bad', node, detail: expect.stringMatching(why) },
    ]);
    const slots = { check: 'slots', status: 'bad', node, detail: expect.stringMatching(/^\d+-16383: nobody else/) };
    expect(of('slots')).toEqual([slots]);
    expect(of('role').map(({ status }) => status)).toEqual(['ok', 'ok']);
    expect(of('lock')).toMatchObject([{ status: 'ok' }]);
    expect(code).toBe(1);
  };

  it('where it hangs', async () => {
    const { ill, node, call } = await scene();
    await ill.stopProcess();
    const outcome = await call('doctor');
    await ill.continueProcess();
    looksAtTheRest(outcome, node, /did not answer in time/);
  }, 60_000);

  it('where nothing is there', async () => {
    const { ill, node, call } = await scene();
    await ill.kill();
    looksAtTheRest(await call('doctor'), node, /ECONNREFUSED/);
    const locks = await call('ls');
    expect(locks).toMatchObject({ code: 0, errors: expect.stringMatching(`PARTIAL_VIEW.*${node}.*ECONNREFUSED`) });
    const semaphores = await call('ls', '--kind', 'semaphore');
    expect(semaphores).toMatchObject({ code: 0, errors: expect.stringMatching(`PARTIAL_VIEW.*${node}.*ECONNREFUSED`) });
  }, 60_000);
});
