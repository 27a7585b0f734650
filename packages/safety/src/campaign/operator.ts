/** The campaign's own hand on the servers, past all proxies: what an operator does, written into the history beside the faults. */
import { createLockClient, type LockClient } from 'holdfast';
import type { Cluster, Redis } from 'ioredis';
import { Recorder, type ToRecord } from '../history/recorder.js';

type FaultNote = Omit<Extract<ToRecord, { f: 'fault' }>, 'type' | 'f' | 'at'>;

export class Operator {
  readonly #recorder: Recorder;
  readonly #redis: Redis | Cluster;
  readonly #client: LockClient;
  readonly #shared: ReadonlySet<string>;

  /** @param shared - which locks are read-write locks. */
  constructor(redis: Redis | Cluster, file: string, shared: ReadonlySet<string>) {
    this.#redis = redis;
    this.#shared = shared;
    redis.on('error', () => undefined);
    this.#client = createLockClient({ redis });
    this.#recorder = new Recorder({ file, worker: 'operator' });
  }

  note(fault: FaultNote): void {
    this.#recorder.record({ type: 'event', f: 'fault', ...fault });
  }

  /** Takes a lock away from whoever has it. */
  async remove(lock: string, how: 'del' | 'force'): Promise<void> {
    const op = this.#recorder.invoke({ type: 'invoke', f: 'force', lock, ...(how === 'del' ? { code: how } : {}) });
    try {
      const removed = how === 'del' ? (await this.#redis.del(lock)) > 0 : await this.#force(lock);
      this.#recorder.record({ type: 'ok', f: 'force', op, lock, ...(removed ? {} : { code: 'free' }) });
    } catch (error) {
      this.#recorder.record({
        type: 'info',
        f: 'force',
        op,
        lock,
        code: error instanceof Error ? error.name : 'error',
      });
      throw error;
    }
  }

  async #force(lock: string): Promise<boolean> {
    if (!this.#shared.has(lock)) return this.#client.getLock(lock).forceUnlock();
    const sides = this.#client.getReadWriteLock(lock);
    const written = await sides.writeLock().forceUnlock();
    return (await sides.readLock().forceUnlock()) || written;
  }

  async close(): Promise<void> {
    await this.#client.close();
    this.#redis.disconnect();
    this.#recorder.close();
  }
}
