import { seededRandom, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { type Membership, ReleaseBroadcast } from '../src/index.js';
import { Gate, type IoredisPort } from './support/ioredis-port.js';
import { RedisFixture } from './support/redis-fixture.js';

const channel = 'redisson_lock__channel:{stock}';
const deaf = { onReleased() {}, onGap() {} };

describe('ReleaseBroadcast', () => {
  const redis = new RedisFixture();

  function broadcastOn(port: IoredisPort) {
    const errors: unknown[] = [];
    const broadcast = new ReleaseBroadcast({ port, onError: (e) => errors.push(e) });
    return { broadcast: redis.connect(port, broadcast), errors, port };
  }

  function recorder() {
    const told: string[] = [];
    return { told, onReleased: () => void told.push('released'), onGap: () => void told.push('gap') };
  }

  const idle = (broadcast: ReleaseBroadcast) => waitUntil(() => broadcast.size === 0, { what: 'nothing is left' });

  it('shares one subscription among all who join, and ends it with the last who leaves', async () => {
    const { broadcast, port } = broadcastOn(redis.port());
    const listeners = Array.from({ length: 20 }, recorder);
    const memberships = listeners.map((listener) => broadcast.join(channel, listener));
    await Promise.all(memberships.map(({ confirmed }) => confirmed));
    expect([await redis.subscribersOf(channel), broadcast.size]).toEqual([1, 1]);
    await redis.admin.publish(channel, '0');
    await waitUntil(() => listeners.every(({ told }) => told.length === 1), { what: 'all have heard' });

    const [last, ...others] = memberships;
    for (const { leave } of others) leave();
    for (const { leave } of others) leave();
    await redis.admin.publish(channel, '0');
    await waitUntil(() => listeners[0]?.told.length === 2, { what: 'the last has heard' });
    expect(listeners[1]?.told).toEqual(['released']);
    last?.leave();
    await idle(broadcast);
    expect(await redis.subscribersOf(channel)).toBe(0);
    expect(port.sent).toEqual([`subscribe ${channel}`, `unsubscribe ${channel}`]);
  });

  it('keeps channels apart', async () => {
    const { broadcast } = broadcastOn(redis.port());
    const [a, b] = [recorder(), recorder()];
    await Promise.all([broadcast.join('a', a).confirmed, broadcast.join('b', b).confirmed]);
    await redis.admin.publish('b', '0');
    await waitUntil(() => b.told.length, { what: 'b has heard' });
    expect(a.told).toEqual([]);
    await broadcast.close();
  });

  it('unsubscribes after the confirmation when the last leaves before it', async () => {
    const { broadcast, port } = broadcastOn(redis.port());
    const gate = new Gate();
    port.after = () => gate.pass();
    const { confirmed, leave } = broadcast.join(channel, deaf);
    await gate.reached;
    leave();
    await expect(confirmed).rejects.toMatchObject({ code: 'HOLDFAST_SUBSCRIPTION_CLOSED' });
    expect(port.sent).toEqual([`subscribe ${channel}`]);
    gate.open();
    await idle(broadcast);
    expect([port.sent.length, await redis.subscribersOf(channel)]).toEqual([2, 0]);
  });

  it('sends nothing for a membership that is left before anything was sent', async () => {
    const { broadcast, port } = broadcastOn(redis.port());
    const gate = new Gate();
    port.before = (command) => (command === 'unsubscribe' ? gate.pass() : undefined);
    const first = broadcast.join(channel, deaf);
    await first.confirmed;
    first.leave();
    await gate.reached;
    broadcast.join(channel, deaf).leave();
    gate.open();
    await idle(broadcast);
    expect(port.sent).toEqual([`subscribe ${channel}`, `unsubscribe ${channel}`]);
  });

  it('sends nothing for a membership that is left in the turn in which it began', async () => {
    const { broadcast, port } = broadcastOn(redis.port());
    broadcast.join(channel, deaf).leave();
    await idle(broadcast);
    expect(port.sent).toEqual([]);
  });

  it('subscribes again for one who joins while the unsubscribe is under way', async () => {
    const { broadcast, port } = broadcastOn(redis.port());
    const gate = new Gate();
    port.after = (command) => (command === 'unsubscribe' ? gate.pass() : undefined);
    const first = broadcast.join(channel, deaf);
    await first.confirmed;
    first.leave();
    await gate.reached;
    const second = recorder();
    const { confirmed } = broadcast.join(channel, second);
    let early = true;
    void confirmed.then(() => expect(early).toBe(false));
    await new Promise(setImmediate);
    early = false;
    gate.open();
    await confirmed;
    expect(await redis.subscribersOf(channel)).toBe(1);
    await redis.admin.publish(channel, '0');
    await waitUntil(() => second.told.length, { what: 'the release' });
    await broadcast.close();
  });

  it('joins one who comes and goes and comes during one subscribe to that subscribe', async () => {
    const { broadcast, port } = broadcastOn(redis.port());
    const gate = new Gate();
    port.after = () => gate.pass();
    const first = broadcast.join(channel, deaf);
    await gate.reached;
    first.leave();
    const second = broadcast.join(channel, deaf);
    gate.open();
    await second.confirmed;
    await expect(first.confirmed).rejects.toThrow();
    expect([port.sent, await redis.subscribersOf(channel)]).toEqual([[`subscribe ${channel}`], 1]);
    await broadcast.close();
  });

  it('ends the memberships of a failed subscribe, and tries anew for the next', async () => {
    const { broadcast, port, errors } = broadcastOn(redis.port());
    port.before = (command) => {
      if (command === 'subscribe') throw new Error('no connection');
    };
    const first = recorder();
    const failed = [broadcast.join(channel, first), broadcast.join(channel, deaf)];
    for (const { confirmed } of failed) await expect(confirmed).rejects.toThrow('no connection');
    await idle(broadcast);
    port.before = () => {};
    await broadcast.join(channel, deaf).confirmed;
    await redis.admin.publish(channel, '0');
    for (const { leave } of failed) leave();
    expect(await redis.subscribersOf(channel)).toBe(1);
    expect([first.told, errors]).toEqual([[], []]);
    await broadcast.close();
  });

  it('takes back a subscribe that failed although the server had run it', async () => {
    const { broadcast, port } = broadcastOn(redis.port());
    port.after = (command) => {
      if (command === 'subscribe') throw new Error('answered too late');
    };
    await expect(broadcast.join(channel, deaf).confirmed).rejects.toThrow('answered too late');
    await idle(broadcast);
    expect(await redis.subscribersOf(channel)).toBe(0);
  });

  it('reports failures that no caller waits for, and goes on', async () => {
    const { broadcast, port, errors } = broadcastOn(redis.port());
    const gate = new Gate();
    port.before = async (command) => {
      await gate.pass();
      throw new Error(`${command} failed`);
    };
    const { leave } = broadcast.join(channel, deaf);
    await gate.reached;
    leave();
    gate.open();
    await waitUntil(() => errors.length === 2, { what: 'both are reported' });
    expect(errors.map((error) => (error as Error).message)).toEqual(['subscribe failed', 'unsubscribe failed']);
    port.before = () => {};
    await broadcast.join(channel, deaf).confirmed;
    await broadcast.close();
    expect([await redis.subscribersOf(channel), broadcast.size]).toEqual([0, 0]);
  });

  it('repeats a failed unsubscribe when the connection is back', async () => {
    const { broadcast, port, errors } = broadcastOn(redis.port());
    await broadcast.join('kept', deaf).confirmed;
    const { confirmed, leave } = broadcast.join(channel, deaf);
    await confirmed;
    port.before = () => {
      throw new Error('not now');
    };
    leave();
    await waitUntil(() => errors.length, { what: 'the report' });
    expect([broadcast.size, await redis.subscribersOf(channel)]).toEqual([2, 1]);
    port.before = () => {};
    await redis.killSubscribers();
    await waitUntil(() => broadcast.size === 1, { what: 'it is gone' });
    expect([await redis.subscribersOf('kept'), await redis.subscribersOf(channel)]).toEqual([1, 0]);
    await broadcast.close();
  });

  it('repeats a failed unsubscribe on close', async () => {
    const { broadcast, port, errors } = broadcastOn(redis.port());
    const { confirmed, leave } = broadcast.join(channel, deaf);
    await confirmed;
    port.before = () => {
      throw new Error('not now');
    };
    leave();
    await waitUntil(() => errors.length, { what: 'the report' });
    port.before = () => {};
    await broadcast.close();
    expect([broadcast.size, await redis.subscribersOf(channel)]).toEqual([0, 0]);
  });

  it('makes a rejected confirmation without a handler no unhandled rejection, which would fail this test', async () => {
    const { broadcast, port } = broadcastOn(redis.port());
    port.before = (command) => {
      if (command === 'subscribe') throw new Error('no connection');
    };
    broadcast.join(channel, deaf);
    await idle(broadcast);
    await broadcast.close();
    broadcast.join(channel, deaf);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(broadcast.size).toBe(0);
  });

  it('tells all members of loss and return; a confirmation asked for in between comes with the return', async () => {
    const { broadcast } = broadcastOn(redis.port());
    const early = recorder();
    await broadcast.join(channel, early).confirmed;
    await redis.killSubscribers();
    await waitUntil(() => early.told.length, { what: 'the loss' });
    const late = recorder();
    await broadcast.join(channel, late).confirmed;
    expect(await redis.subscribersOf(channel)).toBe(1);
    await waitUntil(() => early.told.length === 2, { what: 'the return' });
    await redis.admin.publish(channel, '0');
    await waitUntil(() => late.told.includes('released'), { what: 'the release' });
    expect(early.told).toEqual(['gap', 'gap', 'released']);
    await broadcast.close();
  });

  it('confirms nothing between loss and return, not even what the server has subscribed meanwhile', async () => {
    const { broadcast } = broadcastOn(redis.port());
    broadcast.listener.onLost();
    let confirmations = 0;
    const { confirmed } = broadcast.join(channel, deaf);
    void confirmed.then(() => (confirmations += 1));
    await waitUntil(() => redis.subscribersOf(channel), { what: 'the server has subscribed' });
    await new Promise(setImmediate);
    expect(confirmations).toBe(0);
    broadcast.listener.onRestored(new Set());
    await confirmed;
    await broadcast.close();
  });

  it('confirms nothing on a channel that is missing since the return, until that is heard again', async () => {
    const { broadcast } = broadcastOn(redis.port());
    await broadcast.join(channel, deaf).confirmed;
    broadcast.listener.onLost();
    broadcast.listener.onRestored(new Set([channel]));
    let early = true;
    const { confirmed } = broadcast.join(channel, deaf);
    void confirmed.then(() => expect(early).toBe(false));
    await new Promise(setImmediate);
    early = false;
    broadcast.listener.onRestored(new Set());
    await confirmed;
    await broadcast.close();
  });

  it('also resubscribes a channel that was left and joined again while the connection was lost', async () => {
    const { broadcast } = broadcastOn(redis.port());
    const first = recorder();
    const membership = broadcast.join(channel, first);
    await membership.confirmed;
    await redis.killSubscribers();
    await waitUntil(() => first.told.length, { what: 'the loss' });
    membership.leave();
    const second = broadcast.join(channel, deaf);
    const other = broadcast.join('other', deaf);
    await Promise.all([second.confirmed, other.confirmed]);
    expect([await redis.subscribersOf(channel), await redis.subscribersOf('other')]).toEqual([1, 1]);
    await broadcast.close();
  });

  it('reports a listener that throws, and tells the others all the same', async () => {
    const { broadcast, errors } = broadcastOn(redis.port());
    const broken = new Error('broken listener');
    const fail = () => {
      throw broken;
    };
    const second = recorder();
    await Promise.all([
      broadcast.join(channel, { onReleased: fail, onGap: fail }).confirmed,
      broadcast.join(channel, second).confirmed,
    ]);
    await redis.admin.publish(channel, '0');
    await waitUntil(() => second.told.length, { what: 'the release' });
    expect(errors).toEqual([broken]);
    await broadcast.close();
  });

  it('tells one release once to a listener that leaves and joins again because of it', async () => {
    const { broadcast } = broadcastOn(redis.port());
    let releases = 0;
    const rejoin = () => {
      const membership = broadcast.join(channel, {
        onReleased() {
          releases += 1;
          membership.leave();
          rejoin();
        },
        onGap() {},
      });
      return membership;
    };
    await rejoin().confirmed;
    const last = recorder();
    await broadcast.join(channel, last).confirmed;
    await redis.admin.publish(channel, '0');
    await waitUntil(() => last.told.length, { what: 'the release' });
    expect(releases).toBe(1);
    await broadcast.close();
  });

  it('does not report what fails while it closes: the connection that ends takes the subscriptions along', async () => {
    const { broadcast, port, errors } = broadcastOn(redis.port());
    await broadcast.join(channel, deaf).confirmed;
    port.before = () => {
      throw new Error('closed');
    };
    await broadcast.close();
    expect(port.sent).toEqual([`subscribe ${channel}`, `unsubscribe ${channel}`]);
    expect(errors).toEqual([]);
  });

  it('tells no member of a release or a gap after close', async () => {
    const { broadcast, port } = broadcastOn(redis.port());
    const listener = recorder();
    await broadcast.join(channel, listener).confirmed;
    const gate = new Gate();
    port.before = () => gate.pass();
    const closed = broadcast.close();
    await gate.reached;
    const arrived: string[] = [];
    port.client.on('message', () => arrived.push('message'));
    port.client.on('close', () => arrived.push('close'));
    await redis.admin.publish(channel, '0');
    await waitUntil(() => arrived.includes('message'), { what: 'the release has arrived' });
    await redis.killSubscribers();
    await waitUntil(() => arrived.includes('close'), { what: 'the connection is lost' });
    gate.open();
    await closed;
    expect(listener.told).toEqual([]);
  });

  it('leaves no channel behind on close, not even one whose subscribe is under way', async () => {
    const { broadcast, port } = broadcastOn(redis.port());
    const names = Array.from({ length: 100 }, (_, n) => `lock:${n}`);
    const listener = recorder();
    await Promise.all(names.map((name) => broadcast.join(name, listener).confirmed));
    const gate = new Gate();
    port.after = (_command, name) => (name === 'late' ? gate.pass() : undefined);
    const late = broadcast.join('late', listener);
    await gate.reached;
    const closed = broadcast.close();
    await expect(late.confirmed).rejects.toMatchObject({ code: 'HOLDFAST_SUBSCRIPTION_CLOSED' });
    gate.open();
    await closed;
    expect([await redis.admin.pubsub('CHANNELS'), broadcast.size]).toEqual([[], 0]);
    expect(listener.told).toEqual([]);
    const after = broadcast.join(channel, listener);
    await expect(after.confirmed).rejects.toMatchObject({ code: 'HOLDFAST_SUBSCRIPTION_CLOSED' });
    after.leave();
    await broadcast.close();
  });

  it('is subscribed exactly while there is a member, after any storm of joins, leaves, failures and lost connections', async () => {
    const { broadcast, port } = broadcastOn(redis.port());
    const random = seededRandom(42);
    let stormy = true;
    const unlucky = async () => {
      for (let turns = random.below(4); turns > 0; turns -= 1) await new Promise(setImmediate);
      if (stormy && random.below(20) === 0) throw new Error('unlucky');
    };
    port.before = unlucky;
    port.after = unlucky;
    for (let round = 0; round < 20; round += 1) {
      const members = { a: new Set<Membership>(), b: new Set<Membership>() };
      stormy = true;
      for (let step = 0; step < 100; step += 1) {
        const name = random.pick(['a', 'b'] as const);
        const present = members[name];
        const [oldest] = present;
        if (oldest === undefined || random.below(2) === 0) {
          const joined = broadcast.join(name, deaf);
          present.add(joined);
          joined.confirmed.catch(() => present.delete(joined));
        } else {
          present.delete(oldest);
          oldest.leave();
        }
        if (random.below(3) === 0) await new Promise(setImmediate);
        if (random.below(60) === 0) await redis.killSubscribers();
      }
      stormy = false;
      for (const name of ['a', 'b'] as const) {
        await waitUntil(async () => members[name].size === 0 || (await redis.subscribersOf(name)) === 1, {
          what: `${members[name].size} members on ${name} after round ${round} are subscribed`,
        });
        const probe = broadcast.join(name, deaf);
        await probe.confirmed;
        expect(await redis.subscribersOf(name)).toBe(1);
        probe.leave();
        for (const { leave } of members[name]) leave();
      }
      await idle(broadcast);
      expect(await redis.admin.pubsub('CHANNELS')).toEqual([]);
    }
    await broadcast.close();
  });
});
