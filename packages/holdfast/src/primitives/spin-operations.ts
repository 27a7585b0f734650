import { LockOperations } from './lock-operations.js';

/** The operations of the spin lock: those of the re-entrant lock, on the same keys. Only the process tells the two apart. */
export class SpinOperations extends LockOperations {
  override get primitive(): string {
    return 'spin';
  }
}
