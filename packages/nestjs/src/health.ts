import { Inject, Injectable } from '@nestjs/common';
import { LockClient, LockError } from 'holdfast';

/** What a health check of @nestjs/terminus reports: the state of each thing, by its name. */
export type LockHealth<K extends string> = Record<K, { status: 'up' } | { status: 'down'; message: string }>;

/**
 * Whether locks could be had now. It needs nothing of @nestjs/terminus, and fits it:
 * `health.check([() => locks.isHealthy('locks')])`.
 */
@Injectable()
export class LockHealthIndicator {
  readonly #client: LockClient;

  constructor(@Inject(LockClient) client: LockClient) {
    this.#client = client;
  }

  /**
   * `up` when the client is connected, authenticated, and heard by message, and Redis has answered within the last second: one that has been quiet is asked. It
   * connects when it has not yet.
   *
   * @param key - the name in the report.
   * @param options - `timeoutMs`: how long that may take, in milliseconds. Default 1 000.
   */
  async isHealthy<K extends string>(
    key: K,
    { timeoutMs = 1_000 }: { timeoutMs?: number | undefined } = {},
  ): Promise<LockHealth<K>> {
    try {
      await this.#client.connect({ timeoutMs });
      return { [key]: { status: 'up' } } as LockHealth<K>;
    } catch (error) {
      if (!(error instanceof LockError)) throw error;
      return { [key]: { status: 'down', message: error.message } } as LockHealth<K>;
    }
  }
}
