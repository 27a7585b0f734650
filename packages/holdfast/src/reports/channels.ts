/**
 * `node:diagnostics_channel`s, for tracing without a dependency. Publishing to a channel without subscribers costs one property read.
 */

import { channel } from 'node:diagnostics_channel';
import type { LockLostReason } from '../errors.js';
import type { AcquiredHow } from './stats.js';

/** What every message says. */
export interface LockMessage {
  /** Of the client it is about. */
  readonly clientId: string;
}

/** What every message about a hold says. It is published in the async context of the call that asked for the hold. */
export interface LockHoldMessage extends LockMessage {
  /** Of the lock. */
  readonly name: string;
  /** The same in all that is told of one acquisition, events of the client included. It says nothing to Redis. */
  readonly holdId: string;
}

/** The channels there are, and the message of each. */
export interface LockDiagnostics {
  /** A call has the lock. */
  'holdfast:acquired': LockHoldMessage & {
    /** From the call, in milliseconds. */
    readonly waitedMs: number;
    readonly how: AcquiredHow;
  };
  /** A call does not get the lock. Published in the async context of that call. */
  'holdfast:refused': LockMessage & {
    readonly name: string;
    readonly outcome: 'busy' | 'error';
    /** With `error`: what the call rejects with. */
    readonly error?: unknown;
  };
  /** A hold is given up by its holder; Redis may not have answered yet. */
  'holdfast:released': LockHoldMessage & { readonly heldMs: number };
  /** A hold ended before its release. */
  'holdfast:lost': LockHoldMessage & { readonly reason: LockLostReason };
  /** A lease was renewed, or could not be. Published in the async context of the outermost hold. */
  'holdfast:renewal': LockMessage & {
    readonly name: string;
    /** The holds that the lease serves, outermost first. */
    readonly holdIds: readonly string[];
    readonly outcome: 'renewed' | 'held' | 'lost' | 'unknown';
    /** How much later than due it was sent. */
    readonly latenessMs: number;
  };
}

/** One of {@link LockDiagnostics}. */
export interface Publisher<M> {
  readonly hasSubscribers: boolean;
  publish(message: M): void;
}

function publisher<N extends keyof LockDiagnostics>(name: N): Publisher<LockDiagnostics[N]> {
  return channel(name);
}

/** The channels. */
export const channels = {
  acquired: publisher('holdfast:acquired'),
  refused: publisher('holdfast:refused'),
  released: publisher('holdfast:released'),
  lost: publisher('holdfast:lost'),
  renewal: publisher('holdfast:renewal'),
} as const;

/** Whether any of the channels has a subscriber. */
export function anyChannelHeard(): boolean {
  const { acquired, refused, released, lost, renewal } = channels;
  return (
    acquired.hasSubscribers ||
    refused.hasSubscribers ||
    released.hasSubscribers ||
    lost.hasSubscribers ||
    renewal.hasSubscribers
  );
}
