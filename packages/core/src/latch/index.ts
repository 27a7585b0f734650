/** The operations of the countdown latch. */
export { type LatchKeys, latchKeys } from './keys.js';
export { count, type LatchLook, type LatchRequest, look, remove, trySet } from './latch.js';
