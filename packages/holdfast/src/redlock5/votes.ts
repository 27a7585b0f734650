/** What redlock tells of its attempts: which client was for it, and which against. Here there is one client, and one attempt. */

import type { Cluster, Redis } from 'ioredis';

/** A client of ioredis: for one server, for the master behind Sentinel, or for a Cluster. */
export type Client = Redis | Cluster;

/** What one client said. The package redlock exports this type, and no value of it. */
export type ClientExecutionResult =
  | { client: Client; vote: 'for'; value: number }
  | { client: Client; vote: 'against'; error: Error };

/** How an attempt ended. */
export interface ExecutionStats {
  /** How many clients were asked: 1. */
  readonly membershipSize: number;
  /** How many had to agree: 1. */
  readonly quorumSize: number;
  /** Those that agreed. */
  readonly votesFor: Set<Client>;
  /** The others, and why: a {@link ResourceLockedError} when the lock was busy, else the error of holdfast. */
  readonly votesAgainst: Map<Client, Error>;
}

/** What was tried, in order. Always one: waiting is by message, and is no series of attempts. */
export type Attempts = readonly Promise<ExecutionStats>[];

/** The outcome of a release. */
export interface ExecutionResult {
  /** What was tried. */
  readonly attempts: Attempts;
}

/** The only client agreed. */
export function votedFor(client: Client): Attempts {
  return [stats([client], [])];
}

/** The only client did not. */
export function votedAgainst(client: Client, error: Error): Attempts {
  return [stats([], [[client, error]])];
}

function stats(votesFor: Client[], votesAgainst: [Client, Error][]): Promise<ExecutionStats> {
  return Promise.resolve({
    membershipSize: 1,
    quorumSize: 1,
    votesFor: new Set(votesFor),
    votesAgainst: new Map(votesAgainst),
  });
}
