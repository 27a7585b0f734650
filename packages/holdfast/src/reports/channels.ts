/**
 * `node:diagnostics_channel`s, for tracing without a dependency. Publishing to a channel without subscribers costs one property read.
 */

import { channel } from 'node:diagnostics_channel';
import type { LockLostReason, StaleTokenError } from '../errors.js';
import type { LeakHow, LockClientEvents } from './events.js';
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

/** An event of a client, and what its listeners are told. */
export type LockEventMessage = LockMessage &
  {
    [E in keyof LockClientEvents]: { readonly event: E; readonly detail: LockClientEvents[E][0] };
  }[keyof LockClientEvents];

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
  'holdfast:lost': LockHoldMessage & {
    readonly reason: LockLostReason;
    /** Absent when `holdfast:released` has told it: only the answer to the release said that the lock had been lost. */
    readonly heldMs: number | undefined;
  };
  /** A lease was renewed or looked at, or could not be. Published in the async context of the outermost hold. */
  'holdfast:renewal': LockMessage & {
    readonly name: string;
    /** The holds that the lease serves, outermost first. */
    readonly holdIds: readonly string[];
    /**
     * `renewed`: the lease was prolonged. `held`: still ours, and there was nothing to prolong: a fixed lease, or one at its `maxHoldMs`, is only looked at.
     * `lost`: not ours any more. `unknown`: no certain answer; it is tried again until the lease is over, or had none by then. Or it was due, and the lease was
     * over (`clock`) before it could be sent.
     */
    readonly outcome: 'renewed' | 'held' | 'lost' | 'unknown';
    /** How much later than due it was sent, or the lease was found to be over. */
    readonly latenessMs: number;
    /**
     * How much of the lease was left when it was `renewed`. Absent with the other outcomes, and when the lease did not have its whole length before: one that was
     * handed over is short until it is renewed for the first time.
     */
    readonly slackMs: number | undefined;
  };
  /** See the event `leak`. Those that were garbage-collected are noticed of locks that were taken while this has a subscriber. */
  'holdfast:leak': LockHoldMessage & { readonly how: LeakHow };
  /** See the event `self-wait`. */
  'holdfast:self-wait': LockMessage & { readonly name: string };
  /** A write by a guard was refused, and rejects with `error`. Published in the async context of the write. */
  'holdfast:stale-write': LockMessage & { readonly name: string; readonly error: StaleTokenError };
  /**
   * What `client.on` tells, of all clients. A subscriber is no listener: what is noted, or warned of, by whether an event has a listener stays as it is.
   */
  'holdfast:event': LockEventMessage;
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
  leak: publisher('holdfast:leak'),
  selfWait: publisher('holdfast:self-wait'),
  staleWrite: publisher('holdfast:stale-write'),
  event: publisher('holdfast:event'),
} as const;

const all = Object.values(channels);

/** Whether any of the channels has a subscriber. */
export function anyChannelHeard(): boolean {
  // Asked for by each hold: no call for each channel.
  for (const { hasSubscribers } of all) if (hasSubscribers) return true;
  return false;
}
