import { waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { ReleaseBroadcast, Wait } from '../src/index.js';
import { Gate } from './support/ioredis-port.js';
import { RedisFixture } from './support/redis-fixture.js';

/**
 * Subscribe, confirm, try again, wait: the order that Redisson's waiters keep, with the simplest lock there is. Nothing here has
 * a timer, so a release that is missed makes the test hang.
 */
describe('a waiter that subscribes, confirms, tries again and then waits', () => {
  const redis = new RedisFixture();
  const lock = 'lock';
  const channel = 'redisson_lock__channel:{lock}';

  const take = async () => (await redis.admin.set(lock, 'me', 'NX')) === 'OK';
  const release = () => redis.admin.multi().del(lock).publish(channel, '0').exec();

  async function wait(broadcast: ReleaseBroadcast, at: (step: string) => Promise<void>): Promise<void> {
    if (await take()) return;
    await at('the first attempt has failed');
    let wake = new Wait<void>();
    const again = () => void wake.resolve();
    const membership = broadcast.join(channel, { onReleased: again, onGap: again });
    try {
      await membership.confirmed;
      await at('the subscription is confirmed');
      while (!(await take())) {
        await at('the second attempt has failed');
        await wake.promise;
        wake = new Wait<void>();
      }
    } finally {
      membership.leave();
    }
  }

  async function setUp() {
    const errors: unknown[] = [];
    const port = redis.port();
    const broadcast = redis.connect(port, new ReleaseBroadcast({ port, onError: (e) => errors.push(e) }));
    await redis.admin.set(lock, 'somebody else');
    return { port, broadcast, errors };
  }

  async function tearDown(broadcast: ReleaseBroadcast) {
    expect(await redis.admin.get(lock)).toBe('me');
    await waitUntil(() => broadcast.size === 0, { what: 'the subscription has ended' });
    expect(await redis.subscribersOf(channel)).toBe(0);
    await redis.admin.del(lock);
  }

  it.each(['the first attempt has failed', 'the subscription is confirmed', 'the second attempt has failed'])(
    'does not miss a release after %s',
    async (step) => {
      const { broadcast } = await setUp();
      await wait(broadcast, async (reached) => {
        if (reached === step) await release();
      });
      await tearDown(broadcast);
    },
  );

  it('does not miss a release while the subscribe is on its way', async () => {
    const { broadcast, port } = await setUp();
    const gate = new Gate();
    port.before = (command) => (command === 'subscribe' ? gate.pass() : undefined);
    const waiting = wait(broadcast, async () => {});
    await gate.reached;
    await release();
    gate.open();
    await waiting;
    await tearDown(broadcast);
  });

  it('does not miss a release that is published while its connection is lost', async () => {
    const { broadcast, port } = await setUp();
    const parked = new Gate();
    const waiting = wait(broadcast, async (step) => {
      if (step === 'the second attempt has failed') void parked.pass();
    });
    await parked.reached;
    const offline = new Gate();
    port.client.options.retryStrategy = () => {
      void offline.pass();
      return 10;
    };
    await redis.killSubscribers();
    await offline.reached;
    await release();
    await waiting;
    await tearDown(broadcast);
  });

  it('is woken by a release that is published while it waits, with 20 others, one after the other', async () => {
    const { broadcast, port } = await setUp();
    let served = 0;
    const waits = Array.from({ length: 21 }, async () => {
      await wait(broadcast, async () => {});
      served += 1;
      if (served < 21) await release();
    });
    await waitUntil(() => redis.subscribersOf(channel), { what: 'they wait' });
    await release();
    await Promise.all(waits);
    await tearDown(broadcast);
    expect(port.sent).toEqual([`subscribe ${channel}`, `unsubscribe ${channel}`]);
  });
});
