/**
 * The network of a world: connections from processes to servers, as TCP makes them.
 *
 * On one connection what arrives comes in the order in which it was sent, each direction for itself; between connections there is no order. A packet
 * that is held up holds up all behind it. What can happen to a connection:
 *
 * | what | the client | the server |
 * |---|---|---|
 * | `reset` | an error, soon | the same, at another moment; what had arrived by then was executed |
 * | `lose the next reply` | an error, where the reply should have come | has executed the command |
 * | `arrive late` | an error, after a while | what was sent arrives a good deal later than that, and is executed |
 * | `go dead` | nothing comes any more, either way, and neither side is told | the same, and gives up after a while |
 * | `swap the next two replies` | each answers the other's question: no network does that, a proxy or a library with a bug may | |
 * | held back (a partition) | nothing passes in a direction until the partition ends, then all of it, late | |
 *
 * A client that lets go of a connection is not heard of by the server at once: what it had sent still arrives and is executed, and its
 * subscriptions count until the server has noticed.
 */

import {
  type Address,
  ErrorReply,
  type Frame,
  type MemoryServer,
  type Network,
  type ServerConnection,
  type Socket,
  type SocketListener,
} from '@holdfast/memory';
import type { Chance } from './chance.js';
import type { WorldProcess } from './process.js';
import { Phase, type Actor, type Timeline } from './timeline.js';
import type { Trace } from './trace.js';

/** One-way delays, in milliseconds. */
export interface Delays {
  readonly least: number;
  readonly most: number;
}

/** Where connections lead. */
export interface Host extends Actor {
  /** Before what is told of its connections; '' for the one that every world has. */
  readonly label: string;
  /** The server that listens there now; undefined: nothing does. */
  readonly server: MemoryServer | undefined;
}

/** What a client hears when its connection breaks. */
function broken(code: 'ECONNRESET' | 'ECONNREFUSED' | 'ETIMEDOUT'): Error {
  const syscall = code === 'ECONNREFUSED' ? 'connect' : 'read';
  return Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
}

/** A kernel gives up a peer that says nothing after this. The real ones take up to a quarter of an hour, in which nothing new would happen. */
const KERNEL_PATIENCE_MS = 20_000;

/** A reply waits for the one that is to overtake it this long. */
const SWAP_MS = 50;

/** Which way something goes. */
export type Direction = 'to the server' | 'to the client';

/** See the module comment. */
export class WorldNetwork {
  readonly #timeline: Timeline;
  readonly #chance: Chance;
  readonly #trace: Trace;
  readonly #hostAt: (address: Address) => Host;
  readonly #connections = new Map<WorldProcess, Set<Connection>>();
  readonly #partitions = new Map<WorldProcess, Map<Host, Record<Direction, number>>>();
  delays: Delays;
  /** Told of each command that has been executed and not refused. */
  onExecuted: (server: MemoryServer, request: readonly string[]) => void = () => undefined;
  /** Told of each open connection that a client ends, though it has not been told that it is broken. */
  onEnded: (process: WorldProcess) => void = () => undefined;
  /** Told of each command that a client sends, and of each message that one hears. */
  onSent: (request: readonly string[]) => void = () => undefined;
  onHeard: (message: string) => void = () => undefined;
  /** Told of each reply that a client is about to read. */
  onAnswered: (process: WorldProcess, reply: unknown) => void = () => undefined;
  /** What becomes of a message before it is heard. */
  onTheWay: (message: string) => string = (message) => message;

  constructor(parts: {
    timeline: Timeline;
    chance: Chance;
    trace: Trace;
    hostAt: (address: Address) => Host;
    delays: Delays;
  }) {
    this.#timeline = parts.timeline;
    this.#chance = parts.chance;
    this.#trace = parts.trace;
    this.#hostAt = parts.hostAt;
    this.delays = parts.delays;
  }

  /** The network as a process has it. */
  of(process: WorldProcess): Network {
    const chance = this.#chance.of(process.name);
    let dialled = 0;
    return {
      dial: (address, listener) => {
        const host = this.#hostAt(address);
        const connection: Connection = new Connection(
          {
            timeline: this.#timeline,
            trace: this.#trace,
            host,
            delay: (most) => this.#delay(most),
            heldUntil: (direction) => this.#partitions.get(process)?.get(host)?.[direction] ?? 0,
            executed: (server, request) => this.onExecuted(server, request),
            ended: () => this.onEnded(process),
            sent: (request) => this.onSent(request),
            heard: (message) => this.onHeard(message),
            answered: (reply) => this.onAnswered(process, reply),
            onTheWay: (message) => this.onTheWay(message),
            over: () => this.#of(process).delete(connection),
          },
          process,
          chance.of(`${dialled++}`),
          listener,
        );
        this.#of(process).add(connection);
        connection.dial();
        return connection;
      },
    };
  }

  /** The connections that a process has, or thinks it has, the oldest first. `to`: those to one host only. */
  connectionsOf(process: WorldProcess, to?: Host): readonly Connection[] {
    return [...this.#of(process)].filter(({ host }) => to === undefined || host === to);
  }

  /** Nothing passes between the two in these directions before world time `until`. */
  hold(process: WorldProcess, host: Host, directions: readonly Direction[], until: number): void {
    let hosts = this.#partitions.get(process);
    if (hosts === undefined) this.#partitions.set(process, (hosts = new Map()));
    const held = hosts.get(host) ?? { 'to the server': 0, 'to the client': 0 };
    for (const direction of directions) held[direction] = Math.max(held[direction], until);
    hosts.set(host, held);
  }

  #of(process: WorldProcess): Set<Connection> {
    let connections = this.#connections.get(process);
    if (connections === undefined) this.#connections.set(process, (connections = new Set()));
    return connections;
  }

  #delay(chance: Chance): number {
    return chance.between(this.delays.least, this.delays.most);
  }
}

interface Surrounding {
  readonly timeline: Timeline;
  readonly trace: Trace;
  readonly host: Host;
  delay(chance: Chance): number;
  heldUntil(direction: Direction): number;
  executed(server: MemoryServer, request: readonly string[]): void;
  ended(): void;
  sent(request: readonly string[]): void;
  heard(message: string): void;
  answered(reply: unknown): void;
  onTheWay(message: string): string;
  over(): void;
}

/** One direction of a connection: what comes out is what went in, in that order, each some time later. */
class OneWay {
  readonly #timeline: Timeline;
  readonly #to: Actor;
  readonly #terms: { delay(): number; heldUntil(): number; isDead(): boolean };
  readonly #queue: (() => void)[] = [];
  #last = 0;

  constructor(timeline: Timeline, to: Actor, terms: { delay(): number; heldUntil(): number; isDead(): boolean }) {
    this.#timeline = timeline;
    this.#to = to;
    this.#terms = terms;
  }

  carry(leaves: number, run: () => void): void {
    if (this.#terms.isDead()) return;
    this.#queue.push(run);
    this.#last = Math.max(this.#last, leaves + this.#terms.delay());
    this.#timeline.at(this.#last, Phase.socket, this.#to, this.#arrive);
  }

  /** Whatever the moment was meant for: the first one in comes out. */
  readonly #arrive = (): void => {
    if (this.#terms.isDead()) return;
    const until = this.#terms.heldUntil();
    if (until > this.#timeline.now)
      this.#timeline.at(until + this.#terms.delay(), Phase.socket, this.#to, this.#arrive);
    else this.#queue.shift()?.();
  };
}

/** One connection; see the module comment. */
export class Connection implements Socket {
  readonly #around: Surrounding;
  readonly #process: WorldProcess;
  readonly #chance: Chance;
  readonly #listener: SocketListener;
  #server: ServerConnection | undefined;
  #run: MemoryServer | undefined;
  /** The last command had no effect. */
  #refused = false;
  /** The client still hears of it. */
  #heard = true;

  #isOpen = false;
  #dead = false;
  #vanished = false;
  readonly #toServer: OneWay;
  readonly #toClient: OneWay;
  #losesReply = false;
  #lateUntil = 0;
  #swaps: 'no' | 'the next two' | Frame = 'no';

  constructor(around: Surrounding, process: WorldProcess, chance: Chance, listener: SocketListener) {
    this.#around = around;
    this.#process = process;
    this.#chance = chance;
    this.#listener = listener;
    const { timeline, host } = around;
    const way = (direction: Direction, to: Actor) =>
      new OneWay(timeline, to, {
        delay: () => around.delay(chance),
        heldUntil: () => Math.max(around.heldUntil(direction), direction === 'to the server' ? this.#lateUntil : 0),
        isDead: () => this.#dead,
      });
    this.#toServer = way('to the server', host);
    this.#toClient = way('to the client', process);
  }

  get host(): Host {
    return this.#around.host;
  }

  /** Carries messages, not answers only. */
  get subscribed(): boolean {
    return (this.#server?.subscriptions.plain.size ?? 0) > 0;
  }

  dial(): void {
    this.#note('dial', () => '');
    this.#arriveAtServer(() => {
      const { server } = this.#around.host;
      // A machine that is gone does not answer to the server's half of the handshake.
      if (this.#vanished) return;
      if (server === undefined) {
        this.#deliver(() => this.#close(broken('ECONNREFUSED')));
        return;
      }
      this.#run = server;
      this.#server = server.accept({
        receive: (frame) => this.#receive(frame),
        hungUp: () => this.#deliver(() => this.#close()),
      });
      this.#deliver(() => {
        if (!this.#heard) return;
        this.#isOpen = true;
        this.#note('open', () => '');
        this.#listener.onOpen();
      });
    });
  }

  send(request: readonly string[]): void {
    this.#note('send', () => said(request));
    this.#around.sent(request);
    this.#arriveAtServer(() => {
      if (this.#server === undefined || this.#server.closed) return;
      this.#note('execute', () => said(request));
      this.#server.execute(request);
      if (this.#run !== undefined && !this.#refused) this.#around.executed(this.#run, request);
    });
  }

  end(): void {
    if (this.#isOpen && this.#heard) this.#around.ended();
    this.#arriveAtServer(() => {
      this.#server?.close();
      this.#deliver(() => this.#close());
    });
  }

  destroy(): void {
    if (!this.#heard) return;
    this.#heard = false;
    this.#around.over();
    this.#letGo();
  }

  /** See the module comment. */
  reset(): void {
    if (!this.#heard) return;
    this.#letGo();
    const { timeline } = this.#around;
    this.#process.at(timeline.now + this.#around.delay(this.#chance), Phase.socket, () =>
      this.#close(broken('ECONNRESET')),
    );
  }

  /** What is sent from now on arrives after `forMs`; the client has been told after `brokenMs` that the connection is broken. */
  arriveLate(brokenMs: number, forMs: number): void {
    const { timeline } = this.#around;
    this.#lateUntil = timeline.now + brokenMs + forMs;
    timeline.at(timeline.now + brokenMs, Phase.socket, undefined, () => this.reset());
  }

  loseNextReply(): void {
    this.#losesReply = true;
  }

  goDead(): void {
    if (this.#dead) return;
    this.#dead = true;
    this.#leaveServerTo(KERNEL_PATIENCE_MS);
    // A connection of holdfast's own has to be found silent by holdfast: nothing helps it.
    if (this.#process.kernelHelps) {
      const { timeline } = this.#around;
      this.#process.at(timeline.now + KERNEL_PATIENCE_MS, Phase.socket, () => this.#close(broken('ETIMEDOUT')));
    }
  }

  swapNextReplies(): void {
    if (this.#swaps === 'no') this.#swaps = 'the next two';
  }

  /** The process is gone, and its kernel says goodbye, or its machine says nothing. */
  abandon(how: 'closed' | 'silent'): void {
    this.#heard = false;
    this.#around.over();
    if (how === 'closed') this.#letGo();
    else {
      this.#vanished = true;
      this.#leaveServerTo(KERNEL_PATIENCE_MS);
    }
  }

  /** What was sent arrives, then the end. */
  #letGo(): void {
    if (this.#dead) return;

    this.#arriveAtServer(() => this.#server?.close());
  }

  #leaveServerTo(ms: number): void {
    const { timeline, host } = this.#around;
    timeline.at(timeline.now + ms, Phase.socket, host, () => this.#server?.close());
  }

  #arriveAtServer(run: () => void): void {
    this.#toServer.carry(this.#process.time, run);
  }

  #deliver(run: () => void): void {
    this.#toClient.carry(this.#around.timeline.now, run);
  }

  #receive(frame: Frame): void {
    if (frame.kind === 'reply') {
      this.#refused = frame.reply instanceof ErrorReply;
      if (this.#losesReply) {
        this.#losesReply = false;
        this.#deliver(() => this.#close(broken('ECONNRESET')));
        this.#dropServer();
        return;
      }
      if (this.#swaps === 'the next two') {
        this.#swaps = frame;
        this.#unswapSoon(frame);
        return;
      }
      if (this.#swaps !== 'no') {
        const first = this.#swaps;
        this.#swaps = 'no';
        this.#hand(frame);
        this.#hand(first);
        return;
      }
    }
    this.#hand(frame);
  }

  /** Where no second reply comes, the first one is late. */
  #unswapSoon(frame: Frame): void {
    const { timeline, host } = this.#around;
    timeline.at(timeline.now + SWAP_MS, Phase.immediate, host, () => {
      if (this.#swaps !== frame) return;
      this.#swaps = 'no';
      this.#hand(frame);
    });
  }

  #hand(given: Frame): void {
    const frame = given.kind === 'reply' ? given : { ...given, message: this.#around.onTheWay(given.message) };
    this.#deliver(() => {
      if (!this.#heard) return;
      if (frame.kind === 'reply') {
        this.#note('reply', () => JSON.stringify(frame.reply));
        this.#around.answered(frame.reply);
      } else {
        this.#note('message', () => `${frame.channel} ${frame.message}`);
        this.#around.heard(frame.message);
      }
      this.#listener.onFrame(frame);
    });
  }

  /** While a command is executed it cannot be closed from within. */
  #dropServer(): void {
    const { timeline, host } = this.#around;
    timeline.at(timeline.now, Phase.immediate, host, () => this.#server?.close());
  }

  #close(error?: Error): void {
    if (!this.#heard) return;
    this.#heard = false;
    this.#around.over();
    this.#note('close', () => error?.message ?? '');
    this.#listener.onClose(error);
  }

  #note(note: 'dial' | 'open' | 'send' | 'execute' | 'reply' | 'message' | 'close', text: () => string): void {
    const { timeline, trace, host } = this.#around;
    trace.note(timeline.now, note, this.#process.number, () => `${this.#process.name}${host.label} ${text()}`);
  }
}

/** Without the name of the question, which counts on from run to run. */
function said(request: readonly string[]): string {
  return request.slice(0, -1).join(' ').slice(0, 300);
}
