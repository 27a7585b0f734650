import type { LockClientStats } from 'holdfast';
import type { Transfer } from './csv.js';
import type { Outcome, Taken } from './transfer.js';

/** What a worker is told. */
export type ToWorker = { kind: 'apply'; transfer: Transfer } | { kind: 'finish' };

/** What a worker tells. */
export type FromWorker =
  | { kind: 'ready'; clientId: string }
  | { kind: 'settled'; id: string; outcome: Outcome; taken: Taken[] }
  | { kind: 'finished'; stats: LockClientStats };
