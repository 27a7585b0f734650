import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { replace } from './replace.js';

/** As they are before any test can drive them. */
const now = performance.now.bind(performance);

/** A server that has not said a word for so long is taken for one that will not. Only tests of silent servers wait that long. */
const patienceMs = 500;

/** Of what the machine keeps from this process, which it keeps from the server too, no more counts. */
const longestStepMs = 10;

/** An answer may bring the next question, but a test that asks for ever is not waited for. */
const longestTalk = 10;

/** For so many turns of the event loop an answer is looked for in each: most are there sooner than a timer could be. */
const quickTurns = 20;

/** What ioredis keeps of a connection, in all versions that are supported. */
interface Connection {
  readonly status: string;
  readonly stream?: { readonly bytesRead: number };
  readonly commandQueue: { peekBack(): object | undefined; toArray(): object[] };
}

const isHandshake = ({ status }: Connection) => status === 'connecting' || status === 'connect';

/** Whether what a server owes a connection now has come, or never will; undefined when it owes nothing. */
function whatIsOwed(connection: Connection): (() => boolean) | undefined {
  if (isHandshake(connection)) return () => !isHandshake(connection);
  const last = connection.status === 'ready' ? connection.commandQueue.peekBack() : undefined;
  if (last === undefined) return undefined;
  return () => connection.status !== 'ready' || !connection.commandQueue.toArray().includes(last);
}

/** What the connections of this process are owed by their servers. */
export class Answers {
  readonly #connections = new Set<Connection>();
  /** By how much had been heard when it fell silent. */
  readonly #silent = new WeakMap<Connection, number>();
  readonly #undo: (() => void)[];

  /** Knows the connections that connect or ask from now on. */
  constructor() {
    const { prototype } = Redis;
    const connections = this.#connections;
    const noting = (method: 'connect' | 'sendCommand') => {
      const call = Reflect.get(prototype, method) as (...given: unknown[]) => unknown;
      const noted = function (this: unknown, ...given: unknown[]) {
        connections.add(this as Connection);
        return call.apply(this, given);
      };
      return replace(prototype, method, noted as never);
    };
    this.#undo = [noting('connect'), noting('sendCommand')];
  }

  /** Until every question is answered that a server may still answer, handshakes and what is asked meanwhile among them. */
  async come(): Promise<void> {
    await nextTurn();
    for (let talk = 0; talk < longestTalk; talk++) {
      const owed = this.#owed();
      if (owed.size === 0) return;
      await this.#wait(owed);
      await nextTurn();
    }
  }

  /** No connection is looked at any more. */
  stop(): void {
    for (const undo of this.#undo) undo();
    this.#connections.clear();
  }

  #owed(): Map<Connection, () => boolean> {
    const owed = new Map<Connection, () => boolean>();
    for (const connection of this.#connections) {
      if (connection.status === 'end') this.#connections.delete(connection);
      const hasCome = this.#isSilent(connection) ? undefined : whatIsOwed(connection);
      if (hasCome !== undefined) owed.set(connection, hasCome);
    }
    return owed;
  }

  async #wait(owed: Map<Connection, () => boolean>): Promise<void> {
    let last = now();
    let silentMs = 0;
    for (let turn = 0; owed.size > 0 && silentMs < patienceMs; turn++) {
      await (turn < quickTurns ? nextTurn() : sleep(1));
      silentMs += Math.min(now() - last, longestStepMs);
      last = now();
      for (const [connection, hasCome] of owed) {
        if (!hasCome()) continue;
        owed.delete(connection);
        silentMs = 0;
      }
    }
    for (const connection of owed.keys()) {
      this.#silent.set(connection, connection.stream?.bytesRead ?? 0);
    }
  }

  #isSilent(connection: Connection): boolean {
    const heard = this.#silent.get(connection);
    if (heard === undefined) return false;
    const hears = connection.stream?.bytesRead ?? 0;
    return hears === heard || hears === 0;
  }
}
