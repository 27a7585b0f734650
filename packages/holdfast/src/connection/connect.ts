import type { Cluster, Redis } from 'ioredis';
import { apart } from '../scopes/scope.js';
import { attempt } from './attempt.js';
import type { ConnectionTools } from './connection-tools.js';

/** A wrapper of ioredis that has failed before anything was begun may let it begin after this. */
const RETRY_MS = 100;

/**
 * Begins a connection that was created lazily, once. What goes wrong behind that arrives as an event as well, and retries are ioredis' business.
 *
 * @param onUnbegun - told what a wrapper has said that let nothing begin, each time.
 */
export function connect(
  redis: Pick<Redis | Cluster, 'connect' | 'status'>,
  tools: Pick<ConnectionTools, 'after'>,
  onUnbegun?: (error: unknown) => void,
): void {
  if (redis.status !== 'wait') return;
  apart(() => attempt(() => redis.connect())).catch((error: unknown) => {
    // Else it has begun, or its client is closed, and a timer would keep the process.
    if (redis.status !== 'wait') return;
    onUnbegun?.(error);
    tools.after(RETRY_MS, () => connect(redis, tools, onUnbegun));
  });
}
