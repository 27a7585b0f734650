/** The real scripts on a real server, in the words of the rule table. */
import * as core from '../../src/index.js';
import type { LockServer } from '../support/lock-server.js';
import { type Command, type Lock, type RenewItem, type Reply, setTtl, type World } from './vocabulary.js';

export class ServerSide {
  readonly #server: LockServer;
  readonly #keys: core.LockKeys;

  constructor(server: LockServer, name: string) {
    this.#server = server;
    this.#keys = core.lockKeys(name);
  }

  get keys(): core.LockKeys {
    return this.#keys;
  }

  /** A lock name under which something else stands, which only renewals are sent to. */
  static readonly text = 'text';

  async run(command: Command): Promise<Reply> {
    try {
      return await this.#run(command);
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('NOTALOCK ')) return ['refused', 'NOTALOCK'];
      throw error;
    }
  }

  async #run(command: Command): Promise<Reply> {
    const keys = this.#keys;
    switch (command.op) {
      case 'ask': {
        const reply = await this.#send(core.ask(keys, command));
        if (reply.kind === 'dead') return ['dead'];
        if (reply.kind === 'busy') return ['busy', left(reply), reply.foreign];
        if (reply.kind === 'wait') return ['wait', left(reply), reply.position, reply.ticket, reply.foreign];
        return [reply.kind, reply.holdCount, reply.seq, left(reply), reply.others, reasonOf(reply.inherited)];
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
        const items = command.items.map(({ of, ...hold }) => ({ keys: this.#keysOf(of), ...hold }));
        const { outcomes } = await this.#send(core.renew(items));
        return outcomes.map((outcome, index) => renewed(outcome, command.items[index]));
      }
    }
  }

  /** @param identities - tenures and requests that may have left a tombstone. */
  async world(identities: readonly string[]): Promise<World> {
    const { lock, queue, fresh } = this.#keys;
    const tombstones = identities.map((id): [string, string] => [id, this.#keys.dead(id)]);
    const pipeline = this.#server.redis.multi();
    pipeline.time().hgetall(lock).pttl(lock).zrange(queue, '0', '-1', 'WITHSCORES').pttl(queue);
    pipeline.hgetall(fresh).pttl(fresh);
    for (const [, key] of tombstones) pipeline.get(key).pttl(key);
    const replies = ((await pipeline.exec()) ?? []).map(([error, reply]) => {
      if (error === null) return reply;
      if (error.message.startsWith('WRONGTYPE')) return 'text';
      throw error;
    });
    const [time, fields, ttl, flat, queueTtl, entries, freshTtl, ...rest] = replies as [
      [string, string],
      Record<string, string> | 'text',
      number,
      string[],
      number,
      Record<string, string>,
      number,
      ...(string | number | null)[],
    ];
    const { returned, ...waiters } = entries;
    const nowMs = Number(time[0]) * 1_000 + Math.floor(Number(time[1]) / 1_000);
    return {
      lock: fields === 'text' ? fields : lockOf(fields, ttl),
      queue: pairs(flat).map(([tenure, ticket]) => ({ tenure, ticket: Number(ticket) })),
      queueTtlMs: setTtl(queueTtl),
      fresh: Object.fromEntries(Object.entries(waiters).map(([tenure, entry]) => [tenure, freshness(entry, nowMs)])),
      freshTtlMs: setTtl(freshTtl),
      ...(returned === undefined ? {} : { returned: noteOf(returned, nowMs) }),
      dead: Object.fromEntries(
        tombstones.flatMap(([id], i) => {
          const value = rest[2 * i];
          return typeof value === 'string' ? [[id, { value, ttlMs: setTtl(Number(rest[2 * i + 1])) }]] : [];
        }),
      ),
    };
  }

  #keysOf(of: RenewItem['of']): core.LockKeys {
    return of === 'this lock' ? this.#keys : core.lockKeys(of === 'no lock' ? 'no lock' : ServerSide.text);
  }

  #send<R>(command: core.Command<R>): Promise<R> {
    return core.run(this.#server.port, command);
  }
}

function reasonOf(inherited: core.Inherited | 'nothing' | undefined): string | undefined {
  return typeof inherited === 'object' ? inherited.reason : inherited;
}

function left({ remainingMs }: { remainingMs: number | undefined }): number | undefined {
  return remainingMs === undefined ? undefined : setTtl(remainingMs);
}

/** A lease that was just set to what is asked for now is long enough only in the same millisecond: that passes for renewed. */
function renewed(outcome: core.RenewOutcome, item: RenewItem | undefined): Reply {
  if (outcome.kind === 'lost') return ['lost', outcome.reason];
  if (outcome.kind === 'refused') return ['refused', outcome.message];
  const lease = left(outcome);
  const kind = item !== undefined && item.leaseMs > 0 && item.leaseMs === lease ? 'renewed' : outcome.kind;
  return [kind, lease];
}

function noteOf(returned: string, nowMs: number): 'always' | 'ahead' {
  if (returned === 'always' || Number(returned) > nowMs) return returned === 'always' ? returned : 'ahead';
  throw new Error(`A note that says nothing any more: ${returned}`);
}

function lockOf(fields: Record<string, string>, ttl: number): Lock | 'record' | undefined {
  if (Object.keys(fields).length === 0) return undefined;
  if ('name' in fields) return 'record';
  const { seq, mode, expired, forced, ...owners } = fields;
  const inherited = expired !== undefined ? 'expired' : forced === undefined ? undefined : 'forced';
  return {
    owners: Object.fromEntries(Object.entries(owners).map(([id, count]) => [id, Number(count)])),
    ...(seq === undefined ? {} : { seq: Number(seq) }),
    ...(mode === undefined ? {} : { mode }),
    ...(inherited === undefined ? {} : { inherited }),
    ttlMs: setTtl(ttl),
  };
}

function freshness(entry: string, nowMs: number): World['fresh'][string] {
  const [until = '', wanted = '', ...more] = entry.split(' ');
  return {
    wantedMs: Number(wanted),
    until: Number(until) >= nowMs ? 'ahead' : 'past',
    more: more.map((word) => ` ${word}`).join(''),
  };
}

function pairs(flat: string[]): [string, string][] {
  return flat.flatMap((item, i) => (i % 2 === 0 ? [[item, flat[i + 1] ?? ''] as [string, string]] : []));
}
