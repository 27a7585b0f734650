import { command } from '../protocol/command.js';
import type { LockKeys } from '../protocol/keys.js';
import type { Reply } from '../protocol/reply.js';
import type { Command } from '../protocol/script-port.js';
import { numbersIn } from '../queue/entry.js';
import { inspect as operation } from './scripts.gen.js';

/** The owner of a lock. */
export interface InspectedOwner {
  /** Tenure id, or whatever a foreign owner calls itself. */
  readonly id: string;
  readonly holdCount: number;
  /** True when the owner is no holdfast tenure. */
  readonly foreign: boolean;
  /** True when it has given the lock back, which stays taken until its lease has run out. `id` is then the tenure that had it. */
  readonly resting: boolean;
}

/** One waiting tenure. */
export interface InspectedWaiter {
  readonly tenure: string;
  /** Server time of its first ask, in microseconds. */
  readonly ticket: number;
  /** Server time until which it may be granted the lock, in ms; undefined when it never will be before it asks again. */
  readonly freshUntilMs: number | undefined;
  /** The lease that it wants; undefined with {@link freshUntilMs}. */
  readonly leaseMs: number | undefined;
}

/** Reply to {@link inspect}. */
export interface InspectReply {
  /** Undefined when the lock is free. */
  readonly owner: InspectedOwner | undefined;
  /** Remaining lease; undefined when the lock is free or has no TTL. */
  readonly remainingMs: number | undefined;
  /** The last step of the owner's tenure; undefined when the lock is free or its owner foreign. */
  readonly seq: number | undefined;
  /** Head first. */
  readonly queue: readonly InspectedWaiter[];
  /** Server time. */
  readonly nowMs: number;
}

/**
 * Everything that Redis knows of a lock, at one instant. Writes nothing; grows with the queue: for diagnosis only. Refused (`NOTALOCK`) when
 * something else stands under its name.
 */
export function inspect(keys: LockKeys): Command<InspectReply> {
  return command(operation, keys, {}, decode);
}

function decode(reply: Reply): InspectReply {
  reply.hasLength(5);
  const owner = reply.list(2);
  const fresh = pairs(reply.list(4));
  const queue = pairs(reply.list(3));
  return {
    owner: ownerFrom(owner),
    remainingMs: reply.ttl(1),
    seq: owner.length >= 3 ? owner.natural(2) : undefined,
    queue: queue.names.map((tenure) => {
      const [freshUntilMs, leaseMs] = numbersIn(fresh.text(tenure), 2);
      return { tenure, ticket: queue.natural(tenure), freshUntilMs, leaseMs };
    }),
    nowMs: reply.natural(0),
  };
}

/** What a script says of the owner. */
export function ownerFrom(list: Reply): InspectedOwner | undefined {
  if (list.length === 0) return undefined;
  const resting = list.length === 4;
  const id = list.text(0);
  return {
    id: resting ? id.replace(/^rest:/, '') : id,
    holdCount: list.natural(1),
    foreign: list.length === 2,
    resting,
  };
}

/** A flat list of names and values; order is kept. Values are checked when they are read. */
export function pairs(list: Reply) {
  const indexes = new Map<string, number>();
  for (let index = 0; index < list.length; index += 2) indexes.set(list.text(index), index + 1);
  return {
    names: [...indexes.keys()],
    /** Of a name that is there. */
    natural: (name: string): number => list.natural(indexes.get(name) as number),
    text(name: string): string {
      const index = indexes.get(name);
      return index === undefined ? '' : list.text(index);
    },
  };
}
