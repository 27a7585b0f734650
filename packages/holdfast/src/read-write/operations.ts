import type { Command } from '@holdfast/core';
import type { HandoffReply, Operations, Side } from '../tenure/operations.js';

/** The operations of a lock that readers share, for one of its sides. */
export interface SharedOperations extends Operations {
  /** Those of one side. */
  of(side: Side): SharedOperations;
  /** The writer becomes a reader. */
  downgrade(tenure: string): Command<HandoffReply>;
  /** What is left of the tenure's lease, and who waits for what it keeps from them. Changes nothing. */
  look(tenure: string): Command<HandoffReply>;
}
