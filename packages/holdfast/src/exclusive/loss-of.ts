import { LockLostError } from '../errors.js';

/** Of all that a release may reject with, only the loss. */
export async function lossOf(leaving: Promise<void>): Promise<void> {
  try {
    await leaving;
  } catch (error) {
    if (error instanceof LockLostError) throw error;
  }
}
