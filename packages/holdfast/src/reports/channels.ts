/**
 * `node:diagnostics_channel`s, for tracing without a dependency. Publishing to a channel nobody subscribed to costs one property read.
 */

import { channel } from 'node:diagnostics_channel';

/** Names of the channels; every message has `clientId` and what the comment says. */
export const channels = {
  /** `{ name, waitedMs, how }` */
  acquired: channel('holdfast:acquired'),
  /** `{ name, outcome: 'busy' | 'error', error? }` */
  refused: channel('holdfast:refused'),
  /** `{ name, heldMs }` */
  released: channel('holdfast:released'),
  /** `{ name, reason }` */
  lost: channel('holdfast:lost'),
  /** `{ outcome, latenessMs }` */
  renewal: channel('holdfast:renewal'),
} as const;
