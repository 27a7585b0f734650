import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { driveTime, faultProxy, startPrivateRedis, waitUntil } from '@holdfast/testkit';
import type { FaultProxy, RedisServer } from '@holdfast/testkit';

// Raw sockets on purpose: a client library would reconnect, queue and resend behind the test's back.
class Wire {
  readonly socket: Socket;
  text = '';
  error: NodeJS.ErrnoException | undefined;
  hasEnded = false;

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.on('data', (chunk) => {
      this.text += String(chunk);
    });
    this.socket.on('error', (error) => {
      this.error = error;
    });
    this.socket.on('close', () => {
      this.hasEnded = true;
    });
  }

  send(...commands: string[]): void {
    const encode = (command: string): string => {
      const words = command.split(' ');
      return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
    };
    this.socket.write(commands.map(encode).join(''));
  }

  async answered(text: string): Promise<void> {
    await waitUntil(() => this.text === text, {
      what: `the answer ${JSON.stringify(text)}, not ${JSON.stringify(this.text)}`,
    });
  }

  async closed(): Promise<void> {
    await waitUntil(() => this.hasEnded, { what: 'the connection to end' });
  }
}

let server: RedisServer;
let proxy: FaultProxy;
const wires: Wire[] = [];
const open = (): Wire => {
  const wire = new Wire(proxy.port);
  wires.push(wire);
  return wire;
};
const greeted = async (): Promise<Wire> => {
  const wire = open();
  wire.send('PING');
  await wire.answered('+PONG\r\n');
  wire.text = '';
  return wire;
};
const number = async (key: string): Promise<number> => Number(await (await server.admin()).get(key));

beforeAll(async () => {
  server = await startPrivateRedis();
});
beforeEach(async () => {
  await (await server.admin()).flushall();
  proxy = await faultProxy({ target: server });
});
afterEach(async () => {
  for (const wire of wires.splice(0)) wire.socket.destroy();
  await proxy.close();
});
afterAll(() => server.stop());

describe('a fault proxy at rest', () => {
  it('passes both ways, and counts its clients', async () => {
    const [one, other] = [open(), open()];
    one.send('SET k v', 'GET k');
    await one.answered('+OK\r\n$1\r\nv\r\n');
    other.send('PING');
    await other.answered('+PONG\r\n');
    expect(proxy.connections).toBe(2);
    one.socket.destroy();
    await waitUntil(() => proxy.connections === 1, { what: 'the first client to be gone' });
  });

  it('ends the client when the server ends', async () => {
    const own = await startPrivateRedis();
    const inFront = await faultProxy({ target: own });
    const wire = new Wire(inFront.port);
    wire.send('PING');
    await wire.answered('+PONG\r\n');
    await own.kill();
    await wire.closed();
    await inFront.close();
    await own.stop();
  });
});

describe('leadTo', () => {
  it('sends connections that are made from now on to another server, and leaves the others where they are', async () => {
    const other = await startPrivateRedis();
    const before = await greeted();
    proxy.leadTo(other);
    const after = await greeted();
    after.send('SET k other');
    await after.answered('+OK\r\n');
    before.send('GET k');
    await before.answered('$-1\r\n');
    await other.stop();
  });
});

describe('hold', () => {
  it('"up" keeps commands from the server until heal, then they run in order', async () => {
    const wire = await greeted();
    proxy.hold('up');
    wire.send('RPUSH l 1');
    await waitUntil(() => proxy.holdsBack('RPUSH'), { what: 'the first command to be held' });
    wire.send('RPUSH l 2', 'RPUSH l 3');
    // In however many pieces they come.
    await waitUntil(() => proxy.holdsBack('\r\n1\r\n*3\r\n'), { what: 'the others to be held' });
    expect(proxy.holdsBack('\r\n4\r\n')).toBe(false);
    expect(await (await server.admin()).exists('l')).toBe(0);
    await proxy.heal();
    await wire.answered(':1\r\n:2\r\n:3\r\n');
    expect(proxy.holdsBack('RPUSH')).toBe(false);
    expect(await (await server.admin()).lrange('l', 0, -1)).toEqual(['1', '2', '3']);
  });

  it('"down" lets commands run and keeps their replies until heal', async () => {
    const wire = open();
    proxy.hold('down');
    wire.send('INCR n');
    await waitUntil(async () => (await number('n')) === 1, { what: 'INCR to run' });
    expect(wire.text).toBe('');
    await proxy.heal();
    await wire.answered(':1\r\n');
  });

  it('also holds back that the client has left: what it had sent runs after heal', async () => {
    const wire = open();
    wire.send('CLIENT SETNAME leaver');
    await wire.answered('+OK\r\n');
    proxy.hold('up');
    wire.send('INCR n');
    await waitUntil(() => proxy.heldBytes > 0, { what: 'the command to be held' });
    wire.socket.end();
    await wire.closed();
    const admin = await server.admin();
    expect(await admin.client('LIST')).toContain('name=leaver');
    expect(await number('n')).toBe(0);
    await waitUntil(() => proxy.connections === 0, { what: 'the proxy to notice' });
    await proxy.heal();
    await waitUntil(async () => (await number('n')) === 1, { what: 'the command of the client that left' });
    await waitUntil(async () => !String(await admin.client('LIST')).includes('name=leaver'), {
      what: 'the leaver to go',
    });
  });
});

describe('drop', () => {
  it('"up" loses the command; heal resets the connection with the gap and no other', async () => {
    const [loser, bystander] = await Promise.all([greeted(), greeted()]);
    proxy.drop('up');
    loser.send('INCR n');
    await waitUntil(() => proxy.droppedBytes > 0, { what: 'the command to be dropped' });
    await proxy.heal();
    await loser.closed();
    expect(loser.error?.code).toBe('ECONNRESET');
    bystander.send('GET n');
    await bystander.answered('$-1\r\n');
  });

  it('"down" runs the command and loses its reply', async () => {
    const wire = await greeted();
    proxy.drop('down');
    wire.send('INCR n');
    await waitUntil(() => proxy.droppedBytes > 0, { what: 'the reply to be dropped' });
    expect(await number('n')).toBe(1);
    await proxy.heal();
    await wire.closed();
    expect(wire.text).toBe('');
  });
});

describe('delay', () => {
  it('takes its time each way, one way, or not at all, and keeps the order', async () => {
    const wire = await greeted();
    const timed = async (): Promise<number> => {
      const before = performance.now();
      wire.send('ECHO a', 'ECHO b');
      wire.send('ECHO c');
      await wire.answered('$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n');
      wire.text = '';
      return performance.now() - before;
    };
    proxy.delay(20);
    expect(await timed()).toBeGreaterThanOrEqual(39);
    proxy.delay(0);
    proxy.delay(30, 'up');
    expect(await timed()).toBeGreaterThanOrEqual(29);
    proxy.delay(0);
    // No timer has to run.
    const undo: (() => unknown)[] = [];
    driveTime({ cleanup: (last) => undo.push(last) });
    try {
      await timed();
    } finally {
      for (const last of undo) await last();
    }
  });

  it('keeps the order when it shrinks while bytes are under way', async () => {
    const wire = await greeted();
    proxy.delay(40, 'up');
    wire.send('RPUSH l slow');
    await waitUntil(() => proxy.heldBytes > 0, { what: 'the slow command to be under way' });
    proxy.delay(0);
    wire.send('RPUSH l fast');
    await wire.answered(':1\r\n:2\r\n');
    expect(await (await server.admin()).lrange('l', 0, -1)).toEqual(['slow', 'fast']);
  });
});

describe('loseNextReply', () => {
  it('executes the command, swallows its reply and resets the connection, once', async () => {
    const wire = await greeted();
    proxy.loseNextReply();
    wire.send('INCR n');
    await wire.closed();
    expect([wire.text, wire.error?.code, proxy.repliesLost]).toEqual(['', 'ECONNRESET', 1]);
    expect(await number('n')).toBe(1);
    const next = open();
    next.send('INCR n');
    await next.answered(':2\r\n');
  });

  it('"after" picks one command of a pipeline: earlier replies arrive, the chosen one ran', async () => {
    const wire = await greeted();
    proxy.loseNextReply({ after: (request) => request.includes('INCR') });
    wire.send('ECHO first', 'SET k v', 'INCR n', 'ECHO last');
    await wire.closed();
    expect(wire.text).toBe('$5\r\nfirst\r\n+OK\r\n');
    expect([await number('n'), proxy.repliesLost]).toEqual([1, 1]);
  });

  it('"after" leaves connections alone that never send such a command', async () => {
    const [victim, bystander] = await Promise.all([greeted(), greeted()]);
    proxy.loseNextReply({ after: (request) => request.includes('INCR') });
    bystander.send('ECHO a');
    await bystander.answered('$1\r\na\r\n');
    victim.send('INCR n');
    await victim.closed();
    bystander.send('ECHO b');
    await bystander.answered('$1\r\na\r\n$1\r\nb\r\n');
  });

  it('is not misled by pushes, and finds the reply to a subscription among them', async () => {
    const wire = open();
    wire.send('HELLO 3');
    await waitUntil(() => wire.text.includes('modules'), { what: 'the answer to HELLO' });
    wire.text = '';
    wire.send('SUBSCRIBE news');
    await wire.answered('>3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n');
    wire.text = '';
    proxy.loseNextReply({ after: (request) => request.includes('INCR') });
    proxy.hold('up');
    wire.send('INCR n');
    await (await server.admin()).publish('news', 'x');
    const message = '>3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$1\r\nx\r\n';
    await wire.answered(message);
    await proxy.heal();
    await wire.closed();
    expect([wire.text, await number('n')]).toEqual([message, 1]);

    const subscriber = await greeted();
    proxy.loseNextReply({ after: (request) => request.includes('SUBSCRIBE') });
    subscriber.send('SUBSCRIBE news');
    await subscriber.closed();
    expect([subscriber.text, proxy.repliesLost]).toEqual(['', 2]);
  });

  it('is not misled by a push between the chosen request and its reply', async () => {
    const wire = open();
    wire.send('HELLO 3', 'SUBSCRIBE news');
    await waitUntil(() => wire.text.includes('subscribe'), { what: 'the subscription' });
    wire.text = '';
    const admin = await server.admin();
    proxy.loseNextReply({ after: (request) => request.includes('BLPOP') });
    wire.send('BLPOP q 0');
    await waitUntil(async () => String(await admin.client('LIST')).includes('cmd=blpop'), { what: 'BLPOP to block' });
    await admin.publish('news', 'x');
    const message = '>3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$1\r\nx\r\n';
    await wire.answered(message);
    await admin.rpush('q', 'item');
    await wire.closed();
    expect([wire.text, await admin.exists('q')]).toEqual([message, 0]);
  });

  it('cuts before the first byte of a reply that comes in many pieces', async () => {
    const wire = await greeted();
    const big = 'x'.repeat(5_000_000);
    await (await server.admin()).set('big', big);
    proxy.loseNextReply({ after: (request) => request.includes('GET') });
    wire.send('ECHO a', 'GET big');
    await wire.closed();
    expect(wire.text).toBe('$1\r\na\r\n');
  });

  it('passes a reply in many pieces on whole when it is not the chosen one', async () => {
    const wire = await greeted();
    await (await server.admin()).set('big', 'x'.repeat(5_000_000));
    proxy.loseNextReply({ after: (request) => request.includes('INCR') });
    wire.send('GET big', 'INCR n');
    await wire.closed();
    expect(wire.text.length).toBe('$5000000\r\n'.length + 5_000_000 + 2);
    expect(await number('n')).toBe(1);
  });
});

describe('cutNext', () => {
  it('"up" gives the server half a command, which never runs, and ends that connection, once', async () => {
    const wire = await greeted();
    proxy.cutNext('up');
    wire.send('INCR n');
    await wire.closed();
    expect(await number('n')).toBe(0);
    expect(proxy.cuts).toBe(1);
    (await greeted()).send('INCR n');
    await waitUntil(async () => (await number('n')) === 1, { what: 'a later command' });
  });

  it('"down" gives the client half a reply to a command that ran', async () => {
    const wire = await greeted();
    proxy.cutNext('down');
    wire.send('INCR n');
    await wire.closed();
    expect(wire.text).toBe(':1');
    expect(await number('n')).toBe(1);
  });
});

describe('swapNextReplies', () => {
  const say = (word: string) => `EVAL return'${word}' 0`;

  it('lets the next answer to a script change places with the one behind it, once', async () => {
    const wire = await greeted();
    proxy.swapNextReplies();
    wire.send('PING', say('a'), say('b'), say('c'), say('d'));
    await wire.answered('+PONG\r\n$1\r\nb\r\n$1\r\na\r\n$1\r\nc\r\n$1\r\nd\r\n');
    expect(proxy.swaps).toBe(1);
  });

  it('moves nothing but answers to scripts', async () => {
    const wire = await greeted();
    proxy.swapNextReplies();
    wire.send(say('a'), 'PING', say('b'));
    await wire.answered('$1\r\na\r\n+PONG\r\n$1\r\nb\r\n');
    expect(proxy.swaps).toBe(0);
  });

  it('withdrawSwaps() lets go of an answer that has met no other', async () => {
    const wire = await greeted();
    proxy.swapNextReplies();
    wire.send('INCR n', say('a'));
    await waitUntil(() => wire.text === ':1\r\n', { what: 'the answer before it' });
    expect(await number('n')).toBe(1);
    proxy.withdrawSwaps();
    await wire.answered(':1\r\n$1\r\na\r\n');
    wire.send(say('b'), say('c'));
    await wire.answered(':1\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n');
  });

  it('heal() lets go of an answer that has met no other, and leaves swaps alone that have met none', async () => {
    const wire = await greeted();
    proxy.swapNextReplies();
    wire.send('INCR n', say('a'));
    await waitUntil(() => wire.text === ':1\r\n', { what: 'the answer before it' });
    expect(await number('n')).toBe(1);
    await proxy.heal();
    await wire.answered(':1\r\n$1\r\na\r\n');
    proxy.swapNextReplies();
    await proxy.heal();
    wire.send(say('b'), say('c'));
    await wire.answered(':1\r\n$1\r\na\r\n$1\r\nc\r\n$1\r\nb\r\n');
  });
});

describe('connections', () => {
  it('reset() breaks all of them with RST and lets new ones in', async () => {
    const wire = await greeted();
    proxy.reset();
    await wire.closed();
    expect(wire.error?.code).toBe('ECONNRESET');
    await greeted();
  });

  it('refuse() refuses new ones, keeps old ones, and heal() welcomes again on the same port', async () => {
    const old = await greeted();
    const { port } = proxy;
    proxy.refuse();
    const refused = open();
    await refused.closed();
    expect(refused.error?.code).toBe('ECONNREFUSED');
    old.send('PING');
    await old.answered('+PONG\r\n');
    await proxy.heal();
    expect(proxy.port).toBe(port);
    await greeted();
  });

  it('acceptThenClose() accepts new ones and ends them without an error', async () => {
    proxy.acceptThenClose();
    const wire = open();
    await once(wire.socket, 'connect');
    await wire.closed();
    expect(wire.error).toBeUndefined();
    await proxy.heal();
    await greeted();
  });

  it('blackHole() hangs old and new ones; after heal() all that was sent runs', async () => {
    const old = await greeted();
    proxy.blackHole();
    const fresh = open();
    await once(fresh.socket, 'connect');
    old.send('INCR n');
    fresh.send('INCR n');
    await waitUntil(() => proxy.heldBytes > 0, { what: 'the old connection to hang' });
    const admin = await server.admin();
    const clients = async (): Promise<number> =>
      String(await admin.client('LIST'))
        .trim()
        .split('\n').length;
    // The admin and the old one: the server never hears of the fresh one.
    await waitUntil(async () => (await clients()) === 2, { what: 'two clients at the server' });
    expect(await number('n')).toBe(0);
    await proxy.heal();
    await waitUntil(async () => (await number('n')) === 2, { what: 'both commands' });
    await waitUntil(() => old.text !== '' && fresh.text !== '', { what: 'both replies' });
  });

  it('close() ends everything, also what hangs', async () => {
    const wire = await greeted();
    proxy.blackHole();
    await proxy.close();
    await wire.closed();
    const late = open();
    await late.closed();
    expect(late.error?.code).toBe('ECONNREFUSED');
  });
});
