/** A real server and the memory server behind one interface. */

import type { RedisServer } from '@holdfast/testkit';
import { Redis } from 'ioredis';
import { ErrorReply, MemoryServer, type MemoryServerOptions, type Reply } from '../../src/index.js';
import type { Entry } from '../../src/server/keyspace.js';
import { knownScripts } from '../../src/server/known-scripts.js';
import { SortedSet } from '../../src/server/sorted-set.js';
import type { Trouble } from '../../src/server/trouble.js';
import type { Fault } from './story.js';

/** What a server has answered: a reply, or the text of a refusal. */
export type Outcome = ({ readonly reply: unknown } | { readonly refusal: string }) & {
  /** The script was not known and had to be sent in full. */
  readonly inFull?: boolean;
};

/** See the module comment. */
export interface Side {
  send(request: readonly string[]): Promise<Outcome>;
  look(keys: readonly string[]): Promise<Look>;
  fault(fault: Fault | undefined): Promise<void>;
}

/** How things stand with a server. */
export interface Look {
  /** What was published since the last look. */
  readonly heard: readonly string[];
  /** Of each key: type, TTL, and what it holds. */
  readonly state: readonly unknown[];
  /** Server time in milliseconds. */
  readonly nowMs: number;
}

const MARKER = 'marker';

/** One script, because a story looks after each step, and writing to a socket is what takes long. The marker comes after all that was published. */
const LOOK = `
local readings = { string = { 'GET' }, hash = { 'HGETALL' }, zset = { 'ZRANGE', 0, -1, 'WITHSCORES' } }
local states = {}
for i, key in ipairs(KEYS) do
  local kind = redis.call('TYPE', key).ok
  local reading = readings[kind]
  states[i] = { kind, redis.call('PTTL', key), reading and redis.call(reading[1], key, unpack(reading, 2)) or false }
end
redis.call('PUBLISH', ARGV[1], '')
return { redis.call('TIME'), states }`;
/** A user who may do everything at all times: the test's own looks are not refused. */
const JUDGE = 'judge';

/** Script calls go through a user whose rights can be taken away. */
export class RealSide implements Side {
  readonly #judge: Redis;
  readonly #client: Redis;
  readonly #listener: Redis;
  #heard: string[] = [];
  #atMarker: () => void = () => undefined;
  #isFaulty = false;
  #story: Promise<unknown> = Promise.resolve();

  private constructor(judge: Redis, client: Redis, listener: Redis) {
    this.#judge = judge;
    this.#client = client;
    this.#listener = listener;
    listener.on('message', (channel: string, message: string) => this.#hear('plain', channel, message));
    listener.on('smessage', (channel: string, message: string) => this.#hear('sharded', channel, message));
  }

  static async open(server: RedisServer, channels: readonly string[]): Promise<RealSide> {
    const admin = await server.admin();
    await admin.call('ACL', 'SETUSER', JUDGE, 'on', '>judge', '~*', '&*', '+@all');
    const connect = (username?: string) => {
      const who = username === undefined ? {} : { username, password: username };
      // Replies as they are: flat lists, as a script sees them too.
      return new Redis({ host: server.host, port: server.port, protocol: 2, ...who });
    };
    const listener = connect(JUDGE);
    await listener.subscribe(MARKER, ...channels);
    for (const channel of channels) await listener.ssubscribe(channel);
    return new RealSide(connect(JUDGE), connect(), listener);
  }

  close(): void {
    for (const redis of [this.#judge, this.#client, this.#listener]) redis.disconnect();
  }

  /** Tells a story when the one before has ended: a property whose time is over leaves its last one under way, with what it broke. */
  alone<T>(story: () => Promise<T>): Promise<T> {
    const told = this.#story.then(story);
    this.#story = told.catch(() => undefined);
    return told;
  }

  /** @returns server time in milliseconds */
  async reset(): Promise<number> {
    await this.#judge.multi().flushall().call('SCRIPT', 'FLUSH').exec();
    return (await this.look([])).nowMs;
  }

  async send([command = '', ...args]: readonly string[]): Promise<Outcome> {
    try {
      // In capitals ioredis does not know them, and gives the reply as it is.
      return { reply: await this.#client.call(command.toUpperCase(), ...args) };
    } catch (error) {
      return { refusal: (error as Error).message };
    }
  }

  async look(keys: readonly string[]): Promise<Look> {
    const reached = new Promise<void>((resolve) => {
      this.#atMarker = resolve;
    });
    const [reply] = await Promise.all([this.#judge.eval(LOOK, keys.length, ...keys, MARKER), reached]);
    const [[seconds, micros], state] = reply as [[string, string], unknown[]];
    const heard = this.#heard;
    this.#heard = [];
    return { heard, state, nowMs: Number(seconds) * 1_000 + Number(micros) / 1_000 };
  }

  async fault(fault: Fault | undefined): Promise<void> {
    if (fault === undefined) {
      if (!this.#isFaulty) return;
      await this.#judge.config('SET', 'maxmemory', '0');
      await this.#judge.call('REPLICAOF', 'NO', 'ONE');
      await this.#judge.call('ACL', 'SETUSER', 'default', '+@all');
      this.#isFaulty = false;
      return;
    }
    this.#isFaulty = true;
    if (fault.code === 'OOM') {
      await this.#judge.config('SET', 'maxmemory', '1');
    } else if (fault.code === 'READONLY') {
      // Nothing listens there, and what it has is served meanwhile.
      await this.#judge.call('REPLICAOF', '127.0.0.1', '1');
    } else if (fault.code === 'NOPERM') {
      await this.#judge.call('ACL', 'SETUSER', 'default', `-${fault.command}`);
    }
  }

  #hear(kind: string, channel: string, message: string): void {
    if (channel === MARKER) this.#atMarker();
    else this.#heard.push(`${kind} ${channel} ${message}`);
  }
}

/** Its clock is set by the test. */
export class MemorySide implements Side {
  readonly server: MemoryServer;
  #nowMs = 0;
  #heard: string[] = [];
  #reply: Reply = null;
  readonly #execute: (request: readonly string[]) => void;
  #endFault: (() => void) | undefined;

  constructor(channels: readonly string[], options: Partial<MemoryServerOptions> = {}) {
    this.server = new MemoryServer({ now: () => this.#nowMs, ...options });
    const nobody = { hungUp: () => undefined };
    const client = this.server.accept({
      receive: (frame) => {
        if (frame.kind === 'reply') this.#reply = frame.reply;
      },
      ...nobody,
    });
    this.#execute = (request) => client.execute(request);
    const listener = this.server.accept({
      receive: (frame) => {
        if (frame.kind === 'message') this.#heard.push(`${frame.channels} ${frame.channel} ${frame.message}`);
      },
      ...nobody,
    });
    listener.execute(['subscribe', ...channels]);
    for (const channel of channels) listener.execute(['ssubscribe', channel]);
  }

  setTime(nowMs: number): void {
    this.#nowMs = nowMs;
  }

  async send(request: readonly string[]): Promise<Outcome> {
    this.#execute(request);
    const reply = this.#reply;
    return reply instanceof ErrorReply ? { refusal: reply.message } : { reply: plain(reply) };
  }

  async look(keys: readonly string[]): Promise<Look> {
    const heard = this.#heard;
    this.#heard = [];
    return { heard, state: this.#state(keys), nowMs: this.#nowMs };
  }

  async fault(fault: Fault | undefined): Promise<void> {
    this.#endFault?.();
    this.#endFault = undefined;
    if (fault === undefined) return;
    this.#endFault = this.server.refuse(
      'command' in fault ? { code: 'NOPERM', commands: [fault.command] } : { code: fault.code },
    );
  }

  /** What is done from now on is undone by the returned function. `trouble`: there meanwhile. */
  aside(trouble?: Trouble): () => void {
    const space = this.server.keysOf();
    const before = space.copy();
    const endTrouble = trouble === undefined ? undefined : this.server.refuse(trouble);
    return () => {
      endTrouble?.();
      space.clear();
      for (const key of before.keys()) space.apply(key, before.find(key));
      this.#heard = [];
    };
  }

  /** The commands that a script calls; nothing that it does stays. */
  async called(script: () => Promise<unknown>): Promise<string[]> {
    const commands = new Set<string>();
    const { commands: inScripts } = this.server;
    const { hindrance } = inScripts;
    inScripts.hindrance = (command, access, wrote) => {
      commands.add(command);
      hindrance?.(command, access, wrote);
    };
    const undo = this.aside();
    await script();
    undo();
    inScripts.hindrance = hindrance;
    return [...commands];
  }

  /** When keys end, and what else is written there as a moment. */
  moments(): number[] {
    const space = this.server.keysOf();
    return space.keys().flatMap((key) => {
      const { value, endsAt } = space.find(key) as Entry;
      if (value instanceof SortedSet) return [endsAt, ...value.range(0, -1).map((member) => value.score(member) ?? 0)];
      const texts = value instanceof Map ? [...value.values()] : [];
      return [endsAt, ...texts.flatMap((text) => text.match(/\b\d{13}\b/g) ?? []).map(Number)];
    });
  }

  #state(keys: readonly string[]): unknown[] {
    const space = this.server.keysOf();
    return keys.map((key) => {
      const entry = space.find(key);
      if (entry === undefined) return ['none', -2, null];
      const { value, endsAt } = entry;
      const ttlMs = endsAt === Number.POSITIVE_INFINITY ? -1 : endsAt - space.nowMs;
      if (typeof value === 'string') return ['string', ttlMs, value];
      if (value instanceof Map) return ['hash', ttlMs, [...value].flat()];
      const members = value.range(0, -1);
      return ['zset', ttlMs, members.flatMap((member) => [member, `${value.score(member)}`])];
    });
  }
}

const everyScript = new Map(knownScripts.map((script) => [script.name, script]));

/** A script by its name, as EVALSHA and EVAL name it. */
export function scriptOf(name: string): { readonly sha: string; readonly source: string } {
  const script = everyScript.get(name);
  if (script === undefined) throw new Error(`there is no script ${name}`);
  return script;
}

function plain(reply: Reply): unknown {
  if (reply instanceof ErrorReply) return `error ${reply.message}`;
  return Array.isArray(reply) ? reply.map((item: Reply) => plain(item)) : reply;
}
