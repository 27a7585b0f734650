import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { array, bulk, number, push } from './resp.js';
import { type CommandName, commandOf } from './scripts.js';

/** What it does when asked: bytes to answer with, or the connection to treat badly. `question`: the name that an answer to a script must carry. */
export type Hostility = (socket: Socket, question: string) => void;

/** What it can be hostile to. */
export type Question = CommandName | 'subscribe';

const everyScript: readonly CommandName[] = [
  ...(['ask', 'again', 'handoff', 'release', 'renew', 'cancel', 'force', 'peek', 'inspect'] as const),
];

const LEASE_MS = 30_000;
const now = () => number(Date.now());

/** What Redis answers when all is well and nobody else is there; a lock with `busy` in its name is another's. */
class PoliteAnswers implements Record<CommandName, (lock: string, keys: number) => string[]> {
  readonly #counts = new Map<string, number>();

  ask(lock: string): string[] {
    if (lock.includes('busy')) {
      return [bulk('wait'), number(LEASE_MS), number(0), number(1), now(), number(0)];
    }
    this.#counts.set(lock, 1);
    return [bulk('acquired'), number(1), number(1), number(LEASE_MS), number(0), bulk(''), bulk('-')];
  }

  again(lock: string): string[] {
    return [bulk('held'), number(this.#count(lock, 1)), number(LEASE_MS)];
  }

  handoff(): string[] {
    return [bulk('passed'), number(LEASE_MS), number(0), now()];
  }

  release(lock: string): string[] {
    const left = this.#count(lock, -1);
    return left > 0 ? [bulk('held'), number(left)] : [bulk('released')];
  }

  renew(_lock: string, keys: number): string[] {
    const outcome = array(bulk('held'), number(LEASE_MS), number(0));
    return [now(), ...Array.from({ length: keys }, () => outcome)];
  }

  cancel(): string[] {
    return [bulk('cancelled'), number(0)];
  }

  force(): string[] {
    return [bulk('forced'), bulk('')];
  }

  serve(): string[] {
    return [bulk('served'), number(0)];
  }

  peek(): string[] {
    return [number(-2), number(0)];
  }

  inspect(): string[] {
    return [now(), number(-2), array(), array(), array()];
  }

  #count(lock: string, change: number): number {
    const count = (this.#counts.get(lock) ?? 0) + change;
    this.#counts.set(lock, count);
    return count;
  }
}

/** One connection. */
interface Caller {
  protocol: 2 | 3;
  listensTo: string | undefined;
  /** What has come of a request that is not complete. */
  rest: string;
}

/**
 * A server that greets as Redis does, in RESP2 or RESP3 as it is asked, and answers the questions it is hostile to as it likes. Its other
 * answers are those of a Redis where all is well; it plays no Redis beyond that.
 */
export class HostileServer {
  readonly #server: Server;
  readonly #callers = new Map<Socket, Caller>();
  readonly #polite = new PoliteAnswers();
  readonly #hostilities = new Map<Question, Hostility>();
  readonly #asked = new Map<Question, number>();
  /** The protocols that its callers have asked for. */
  readonly protocols = new Set<2 | 3>();
  /** How many connections it has accepted. */
  accepted = 0;
  /** The tenures that have asked for a lock. */
  readonly tenures = new Set<string>();

  constructor() {
    this.#server = createServer((socket) => this.#welcome(socket));
  }

  async listen(): Promise<{ host: string; port: number }> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return { host: '127.0.0.1', port: (this.#server.address() as AddressInfo).port };
  }

  /** From now on it answers these so, and counts anew. */
  hostileTo(questions: readonly Question[], hostility: Hostility): void {
    this.#asked.clear();
    for (const question of questions) this.#hostilities.set(question, hostility);
  }

  hostileToScripts(hostility: Hostility): void {
    this.hostileTo(everyScript, hostility);
  }

  polite(): void {
    this.#hostilities.clear();
  }

  /** How often it was asked that. */
  asked(question: Question): number {
    return this.#asked.get(question) ?? 0;
  }

  /** How many scripts it has been sent. */
  get scripts(): number {
    return everyScript.reduce((sum, name) => sum + this.asked(name), 0);
  }

  /** Connections to it that are open. */
  get connections(): number {
    return this.#callers.size;
  }

  /** How many of them have subscribed. */
  get listeners(): number {
    return [...this.#callers.values()].filter(({ listensTo }) => listensTo !== undefined).length;
  }

  /** Sends all who have subscribed what `frames` makes of their channel. */
  tell(frames: (channel: string, kind: typeof array | typeof push) => string): void {
    for (const [socket, { listensTo, protocol }] of this.#callers) {
      if (listensTo !== undefined) socket.write(frames(listensTo, protocol === 3 ? push : array));
    }
  }

  async close(): Promise<void> {
    for (const socket of this.#callers.keys()) socket.destroy();
    await new Promise((closed) => this.#server.close(closed));
  }

  #welcome(socket: Socket): void {
    const caller: Caller = { protocol: 2, listensTo: undefined, rest: '' };
    this.#callers.set(socket, caller);
    this.accepted++;
    socket.on('error', () => undefined);
    socket.on('close', () => this.#callers.delete(socket));
    socket.on('data', (chunk) => {
      const { requests, rest } = requestsIn(caller.rest + chunk.toString('latin1'));
      caller.rest = rest;
      for (const words of requests) if (!socket.destroyed) this.#answer(socket, caller, words);
    });
  }

  #answer(socket: Socket, caller: Caller, words: readonly string[]): void {
    const [command = '', first = ''] = words;
    switch (command.toLowerCase()) {
      case 'hello':
        caller.protocol = first === '3' ? 3 : 2;
        socket.write(`%2\r\n${bulk('version')}${bulk('7.0.0')}${bulk('proto')}${number(caller.protocol)}`);
        return;
      case 'info':
        socket.write(bulk('redis_version:7.0.0\r\nrole:master\r\n'));
        return;
      case 'subscribe':
        this.protocols.add(caller.protocol);
        this.#reply(socket, 'subscribe', '', () => {
          caller.listensTo = first;
          return (caller.protocol === 3 ? push : array)(bulk('subscribe'), bulk(first), number(1));
        });
        return;
      case 'evalsha':
      case 'eval': {
        this.protocols.add(caller.protocol);
        const name = commandOf(first);
        const [, , keys, lock = ''] = words;
        const tenure = words[3 + Number(keys)];
        if (name === 'ask' && tenure !== undefined) this.tenures.add(tenure);
        const question = words.at(-1) ?? '';
        this.#reply(socket, name, question, () => array(...this.#polite[name](lock, Number(keys)), bulk(question)));
        return;
      }
      case 'ping':
        socket.write(
          caller.listensTo !== undefined && caller.protocol === 2 ? array(bulk('pong'), bulk('')) : '+PONG\r\n',
        );
        return;
      default:
        socket.write('+OK\r\n');
    }
  }

  #reply(socket: Socket, kind: Question, question: string, politely: () => string): void {
    this.#asked.set(kind, this.asked(kind) + 1);
    const hostility = this.#hostilities.get(kind);
    if (hostility === undefined) socket.write(politely());
    else hostility(socket, question);
  }
}

/** Each request as its words; `rest` is the beginning of one that is not complete. */
export function requestsIn(text: string): { requests: string[][]; rest: string } {
  const requests: string[][] = [];
  let at = 0;
  for (;;) {
    const { words, end } = requestAt(text, at);
    if (words === undefined) return { requests, rest: text.slice(at) };
    requests.push(words);
    at = end;
  }
}

function requestAt(text: string, start: number): { words: string[] | undefined; end: number } {
  let at = start;
  const header = (): number | undefined => {
    const end = text.indexOf('\r\n', at);
    if (end < 0) return undefined;
    const size = Number(text.slice(at + 1, end));
    at = end + 2;
    return size;
  };
  const words: string[] = [];
  const count = header();
  if (count === undefined) return { words: undefined, end: at };
  while (words.length < count) {
    const size = header();
    if (size === undefined || text.length < at + size + 2) return { words: undefined, end: at };
    words.push(text.slice(at, at + size));
    at += size + 2;
  }
  return { words, end: at };
}
