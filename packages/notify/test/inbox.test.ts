import { waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { Inbox, type InboxListener, type InboxMessage, ReleaseBroadcast } from '../src/index.js';
import { Gate, type IoredisPort } from './support/ioredis-port.js';
import { RedisFixture } from './support/redis-fixture.js';

const channel = 'holdfast_inbox:client';

/** Writes down what a tenure, or the inbox, was told. */
class Recorder implements InboxListener {
  readonly messages: InboxMessage[] = [];
  gaps = 0;
  onMessage(message: InboxMessage): void {
    this.messages.push(message);
  }
  onGap(): void {
    this.gaps += 1;
  }
}

describe('Inbox', () => {
  const redis = new RedisFixture();

  function inboxOn(port: IoredisPort) {
    const errors: unknown[] = [];
    const inbox = new Inbox({ port, channel, onError: (e) => errors.push(e) });
    return { inbox: redis.connect(port, inbox), errors, port };
  }

  function registered(inbox: Inbox, tenure: string): Recorder {
    const recorder = new Recorder();
    inbox.register(tenure, recorder);
    return recorder;
  }

  const heard = (recorder: Recorder, count = 1) =>
    waitUntil(() => recorder.messages.length >= count, { what: `${count} messages` });

  it('brings each message to the tenure it names, and to no other', async () => {
    const { inbox } = inboxOn(redis.port());
    await inbox.open();
    const first = registered(inbox, 'client:1');
    const second = registered(inbox, 'client:2');
    await redis.admin.publish(channel, '1 grant client:2 3000 1000 4 -');
    await redis.admin.publish(channel, '1 grant client:9 3000 1000 4 -');
    await redis.admin.publish(channel, '1 contended client:1');
    await heard(first);
    expect(first.messages).toEqual([{ kind: 'contended', tenure: 'client:1' }]);
    expect(second.messages).toEqual([
      { kind: 'grant', tenure: 'client:2', expiresAtMs: 3_000, nowMs: 1_000, others: 4 },
    ]);
    expect([first.gaps, second.gaps]).toEqual([0, 0]);
    await inbox.close();
  });

  it('brings messages to a tenure that has ended to nobody', async () => {
    const { inbox, errors } = inboxOn(redis.port());
    await inbox.open();
    const ended = registered(inbox, 'client:1');
    inbox.unregister('client:1');
    expect(inbox.size).toBe(0);
    const other = registered(inbox, 'client:2');
    await redis.admin.publish(channel, '1 contended client:1');
    await redis.admin.publish(channel, '1 contended client:2');
    await heard(other);
    expect([ended.messages, errors]).toEqual([[], []]);
    await inbox.close();
  });

  it('tells of a lock that was given to a tenure that has ended, and of nothing else that is said to it', async () => {
    const strays: string[] = [];
    const options = { channel, onError: () => undefined, onStrayGrant: (tenure: string) => void strays.push(tenure) };
    const port = redis.port();
    const inbox = redis.connect(port, new Inbox({ ...options, port }));
    await inbox.open();
    const other = registered(inbox, 'client:2');
    await redis.admin.publish(channel, '1 contended client:1');
    await redis.admin.publish(channel, '1 grant client:1 3000 1000 4 -');
    await redis.admin.publish(channel, '1 grant client:2 3000 1000 4 -');
    await heard(other);
    expect(strays).toEqual(['client:1']);
    await inbox.close();
  });

  it('refuses a second listener for one tenure', async () => {
    const { inbox } = inboxOn(redis.port());
    inbox.register('client:1', new Recorder());
    expect(() => inbox.register('client:1', new Recorder())).toThrow('registered already');
    await inbox.close();
  });

  it('gives what it does not understand to the tenure it names, and what names none to all; neither is a gap', async () => {
    const { inbox } = inboxOn(redis.port());
    await inbox.open();
    const first = registered(inbox, 'client:1');
    const second = registered(inbox, 'client:2');
    await redis.admin.publish(channel, '2 grant client:1 something new');
    await waitUntil(() => first.messages.length, { what: 'the message' });
    await redis.admin.publish(channel, 'gibberish');
    await waitUntil(() => second.messages.length, { what: 'a look for all' });
    expect([first.gaps, second.gaps]).toEqual([0, 0]);
    expect([first.messages, second.messages]).toEqual([
      [{ kind: 'look', tenure: 'client:1' }, { kind: 'look' }],
      [{ kind: 'look' }],
    ]);
    await inbox.close();
  });

  it('subscribes once for all who open it, and is confirmed for each of them', async () => {
    const { inbox, port } = inboxOn(redis.port());
    expect(inbox.confirmed).toBe(false);
    const opened = Array.from({ length: 50 }, async () => {
      await inbox.open();
      expect(inbox.confirmed).toBe(true);
      expect(await redis.subscribersOf(channel)).toBe(1);
    });
    await Promise.all(opened);
    await inbox.open();
    expect(port.sent).toEqual([`subscribe ${channel}`]);
    await inbox.close();
  });

  it('tells of no gap when it is opened while it is open', async () => {
    const { inbox } = inboxOn(redis.port());
    await inbox.open();
    const tenure = registered(inbox, 'client:1');
    await inbox.open();
    await inbox.open();
    expect(tenure.gaps).toBe(0);
    await inbox.close();
  });

  it('does not remember a failure to open: all who shared it are told, the next call tries again', async () => {
    await redis.admin.acl('SETUSER', 'mute', 'on', '>pw', '+@all', '~*', 'resetchannels');
    const { inbox, port, errors } = inboxOn(redis.port(redis.url.replace('//', '//mute:pw@')));
    const waiting = registered(inbox, 'client:1');
    const outcomes = await Promise.allSettled([inbox.open(), inbox.open()]);
    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: { message: expect.stringContaining('NOPERM') } },
      { status: 'rejected', reason: { message: expect.stringContaining('NOPERM') } },
    ]);
    expect(inbox.confirmed).toBe(false);
    await redis.admin.acl('SETUSER', 'mute', 'allchannels');
    expect(waiting.gaps).toBe(0);
    await inbox.open();
    expect([inbox.confirmed, await redis.subscribersOf(channel)]).toEqual([true, 1]);
    // A tenure that waited without an inbox may have missed its grant.
    expect(waiting.gaps).toBe(1);
    // The failed one was taken back, in case the server had run it after all.
    expect(port.sent).toEqual([`subscribe ${channel}`, `unsubscribe ${channel}`, `subscribe ${channel}`]);
    expect(errors).toEqual([]);
    await inbox.close();
    await redis.admin.acl('DELUSER', 'mute');
  });

  it('tells every tenure of a lost connection and of its return, and messages flow again', async () => {
    const { inbox } = inboxOn(redis.port());
    await inbox.open();
    const first = registered(inbox, 'client:1');
    const second = registered(inbox, 'client:2');
    await redis.killSubscribers();
    await waitUntil(() => !inbox.confirmed, { what: 'the loss' });
    expect([first.gaps, second.gaps]).toEqual([1, 1]);
    await inbox.open();
    expect(inbox.confirmed).toBe(true);
    await waitUntil(() => first.gaps === 2 && second.gaps === 2, { what: 'the return' });
    await redis.admin.publish(channel, '1 contended client:2');
    await heard(second);
    await inbox.close();
  });

  it('tells of a gap again when a subscribe that was under way while the connection was lost is confirmed after its return', async () => {
    const { inbox, port } = inboxOn(redis.port());
    const gate = new Gate();
    port.after = (command) => (command === 'subscribe' ? gate.pass() : undefined);
    const tenure = registered(inbox, 'client:1');
    const opening = inbox.open();
    await gate.reached;
    inbox.listener.onLost();
    inbox.listener.onRestored(new Set());
    expect([tenure.gaps, inbox.confirmed]).toEqual([2, false]);
    gate.open();
    await opening;
    expect([tenure.gaps, inbox.confirmed]).toEqual([3, true]);
    await inbox.close();
  });

  it('hears every message or a gap after it, over 20 lost connections', async () => {
    const { inbox } = inboxOn(redis.port());
    await inbox.open();
    const tenure = registered(inbox, 'client:1');
    for (let round = 1; round <= 20; round += 1) {
      const { gaps } = tenure;
      const already = tenure.messages.length;
      const kill = redis.killSubscribers();
      await redis.admin.publish(channel, `1 lost client:1 reason`);
      await kill;
      await waitUntil(() => tenure.messages.length > already || tenure.gaps > gaps, { what: 'message or gap' });
      await waitUntil(() => inbox.confirmed && tenure.gaps >= gaps + 2, { what: 'the return' });
    }
    await inbox.close();
  });

  it('leaves the channel on close, rejects calls that were still opening, and stays silent after it', async () => {
    const { inbox, port } = inboxOn(redis.port());
    const gate = new Gate();
    port.after = () => gate.pass();
    const tenure = registered(inbox, 'client:1');
    const opened = inbox.open();
    await gate.reached;
    const closed = inbox.close();
    await expect(opened).rejects.toMatchObject({ code: 'HOLDFAST_SUBSCRIPTION_CLOSED' });
    await redis.admin.publish(channel, '1 contended client:1');
    gate.open();
    await closed;
    expect(port.sent).toEqual([`subscribe ${channel}`, `unsubscribe ${channel}`]);
    expect([await redis.subscribersOf(channel), inbox.size]).toEqual([0, 0]);
    expect(tenure.messages).toEqual([]);
    await expect(inbox.open()).rejects.toMatchObject({ code: 'HOLDFAST_SUBSCRIPTION_CLOSED' });
    await inbox.close();
  });

  it('does not report what fails while it closes: the connection that ends takes the subscription along', async () => {
    const { inbox, port, errors } = inboxOn(redis.port());
    await inbox.open();
    port.before = () => {
      throw new Error('closed');
    };
    await inbox.close();
    expect(port.sent).toEqual([`subscribe ${channel}`, `unsubscribe ${channel}`]);
    expect(errors).toEqual([]);
  });

  it('closes at once while the connection is lost', async () => {
    const { inbox, port, errors } = inboxOn(redis.port());
    await inbox.open();
    port.client.options.retryStrategy = () => null;
    await redis.killSubscribers();
    await waitUntil(() => !inbox.confirmed, { what: 'the loss' });
    port.before = () => new Promise(() => {});
    await inbox.close();
    expect(errors).toEqual([]);
  });

  it('reports a listener that throws, and tells the others all the same', async () => {
    const { inbox, errors } = inboxOn(redis.port());
    await inbox.open();
    const broken = new Error('broken listener');
    const fail = () => {
      throw broken;
    };
    inbox.register('client:1', { onMessage: fail, onGap: fail });
    const second = registered(inbox, 'client:2');
    await redis.admin.publish(channel, '1 contended client:1');
    await redis.admin.publish(channel, 'gibberish');
    await heard(second);
    expect(errors).toEqual([broken, broken]);
    await inbox.close();
  });

  it('survives listeners and an error listener that all throw', async () => {
    const port = redis.port();
    const fail = () => {
      throw new Error('everything is broken');
    };
    const inbox = redis.connect(port, new Inbox({ port, channel, onError: fail }));
    await inbox.open();
    inbox.register('client:1', { onMessage: fail, onGap: fail });
    const last = registered(inbox, 'client:2');
    await redis.admin.publish(channel, '1 contended client:1');
    await redis.admin.publish(channel, '1 contended client:2');
    await heard(last);
    await inbox.close();
  });

  it('tells what is for all to the tenures of that moment: not to one that ended, not to one that began because of it', async () => {
    const { inbox } = inboxOn(redis.port());
    await inbox.open();
    const second = new Recorder();
    const third = new Recorder();
    inbox.register('client:1', {
      onMessage() {
        inbox.unregister('client:2');
        inbox.register('client:3', third);
      },
      onGap() {},
    });
    inbox.register('client:2', second);
    const fourth = registered(inbox, 'client:4');
    await redis.admin.publish(channel, 'gibberish');
    await heard(fourth);
    expect([second.messages, third.messages]).toEqual([[], []]);
    await inbox.close();
  });

  it('tells no listener any more once one of them has closed it', async () => {
    const { inbox } = inboxOn(redis.port());
    await inbox.open();
    const later = new Recorder();
    const closed = new Promise<void>((resolve) => {
      inbox.register('client:1', {
        onMessage() {
          void inbox.close().then(resolve);
        },
        onGap() {},
      });
    });
    inbox.register('client:2', later);
    await redis.admin.publish(channel, 'gibberish');
    await closed;
    expect(later.messages).toEqual([]);
  });

  it('shares a connection with a release broadcast, each hearing only its own channels', async () => {
    const port = redis.port();
    const onError = (error: unknown) => {
      throw error;
    };
    const inbox = redis.connect(port, new Inbox({ port, channel, onError }));
    const broadcast = redis.connect(port, new ReleaseBroadcast({ port, onError }));
    await inbox.open();
    const tenure = registered(inbox, 'client:1');
    const releases: string[] = [];
    const membership = broadcast.join('redisson_lock__channel:{a}', {
      onReleased: () => releases.push('released'),
      onGap: () => releases.push('gap'),
    });
    await membership.confirmed;
    await redis.admin.publish(channel, '1 contended client:1');
    await redis.admin.publish('redisson_lock__channel:{a}', '0');
    await waitUntil(() => releases.length, { what: 'the release' });
    expect([tenure.messages.length, tenure.gaps, releases]).toEqual([1, 0, ['released']]);
    await redis.killSubscribers();
    await waitUntil(() => tenure.gaps === 2 && releases.length === 3, { what: 'loss and return for both' });
    expect(releases).toEqual(['released', 'gap', 'gap']);
    await Promise.all([inbox.close(), broadcast.close()]);
  });
});
