/** The real scripts on a real server, in the words of the rule table. */
import * as core from '../../src/index.js';
import type { LockServer } from '../support/lock-server.js';
import { type Command, type Reply, setTtl, type World } from './vocabulary.js';

export class ServerSide {
  readonly #server: LockServer;
  readonly #keys: core.LockKeys;
  readonly #asked: readonly string[];

  /** @param identities - tenures and requests that may leave a tombstone. */
  constructor(server: LockServer, name: string, identities: readonly string[]) {
    this.#server = server;
    this.#keys = core.lockKeys(name);
    this.#asked = identities;
  }

  get keys(): core.LockKeys {
    return this.#keys;
  }

  async run(command: Command): Promise<Reply> {
    const keys = this.#keys;
    switch (command.op) {
      case 'ask': {
        const reply = await this.#send(core.ask(keys, command));
        if (reply.kind === 'dead') return ['dead'];
        if (reply.kind === 'busy') return ['busy', left(reply), reply.foreign];
        if (reply.kind === 'wait') return ['wait', left(reply), reply.position, reply.ticket, reply.foreign];
        return [reply.kind, reply.holdCount, reply.seq, left(reply), reply.others];
      }
      case 'again': {
        const reply = await this.#send(core.again(keys, command));
        return reply.kind === 'lost' ? ['lost'] : ['held', reply.holdCount, left(reply)];
      }
      case 'handoff': {
        const reply = await this.#send(core.handoff(keys, command));
        return reply.kind === 'lost' ? ['lost'] : ['passed', left(reply), reply.others];
      }
      case 'release': {
        const reply = await this.#send(core.release(keys, command));
        if (reply.kind === 'held') return ['held', reply.holdCount];
        return reply.kind === 'granted' ? ['granted', reply.to] : [reply.kind];
      }
      case 'cancel':
        return ['cancelled', (await this.#send(core.cancel(keys, command))).wasGranted];
      case 'force':
        return ['forced', (await this.#send(core.force(keys, command))).ownerBefore ?? ''];
      case 'renew': {
        const items = command.tenures.map((tenure) => ({ keys, tenure, leaseMs: command.leaseMs }));
        return (await this.#send(core.renew(items))).outcomes.map(renewed);
      }
    }
  }

  async world(): Promise<World> {
    const { lock, queue, fresh } = this.#keys;
    const tombstones = this.#asked.map((id): [string, string] => [id, this.#keys.dead(id)]);
    const pipeline = this.#server.redis.multi();
    pipeline.time().hgetall(lock).pttl(lock).zrange(queue, '0', '-1', 'WITHSCORES').pttl(queue);
    pipeline.hgetall(fresh).pttl(fresh);
    for (const [, key] of tombstones) pipeline.get(key).pttl(key);
    const replies = ((await pipeline.exec()) ?? []).map(([error, reply]) => {
      if (error !== null) throw error;
      return reply;
    });
    const [time, fields, ttl, flat, queueTtl, entries, freshTtl, ...rest] = replies as [
      [string, string],
      Record<string, string>,
      number,
      string[],
      number,
      Record<string, string>,
      number,
      ...(string | number | null)[],
    ];
    const nowMs = Number(time[0]) * 1_000 + Math.floor(Number(time[1]) / 1_000);
    return {
      owner: ownerOf(fields, ttl),
      queue: pairs(flat).map(([tenure, ticket]) => ({ tenure, ticket: Number(ticket) })),
      queueTtlMs: setTtl(queueTtl),
      fresh: Object.fromEntries(Object.entries(entries).map(([tenure, entry]) => [tenure, freshness(entry, nowMs)])),
      freshTtlMs: setTtl(freshTtl),
      dead: Object.fromEntries(
        tombstones.flatMap(([id], i) => {
          const value = rest[2 * i];
          return typeof value === 'string' ? [[id, { value, ttlMs: setTtl(Number(rest[2 * i + 1])) }]] : [];
        }),
      ),
    };
  }

  #send<R>(command: core.Command<R>): Promise<R> {
    return core.run(this.#server.port, command);
  }
}

function left({ remainingMs }: { remainingMs: number | undefined }): number | undefined {
  return remainingMs === undefined ? undefined : setTtl(remainingMs);
}

/** Whether a renewal found the lease long enough may hang on a millisecond; what it leaves behind does not. */
function renewed(outcome: core.RenewOutcome): Reply {
  if (outcome.kind === 'lost') return ['lost', outcome.reason];
  return outcome.kind === 'refused' ? ['refused', outcome.message] : ['owned', left(outcome), outcome.others];
}

function ownerOf({ seq, ...owners }: Record<string, string>, ttl: number): World['owner'] {
  const [first, second] = Object.entries(owners);
  if (second !== undefined) throw new Error(`two owners: ${JSON.stringify(owners)}`);
  if (first === undefined) return undefined;
  const [id, count] = first;
  return { id, count: Number(count), seq: seq === undefined ? undefined : Number(seq), ttlMs: setTtl(ttl) };
}

function freshness(entry: string, nowMs: number): World['fresh'][string] {
  const [until, wanted] = entry.split(' ').map(Number);
  return { wantedMs: wanted ?? Number.NaN, until: (until ?? 0) >= nowMs ? 'ahead' : 'past' };
}

function pairs(flat: string[]): [string, string][] {
  return flat.flatMap((item, i) => (i % 2 === 0 ? [[item, flat[i + 1] ?? ''] as [string, string]] : []));
}
