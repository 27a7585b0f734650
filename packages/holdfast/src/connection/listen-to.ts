import type { Redis } from 'ioredis';

/** Calls these when `redis` emits the events that they are named by, until it is told to stop. */
export function listenTo(redis: Redis, listeners: Readonly<Record<string, () => void>>): () => void {
  for (const [event, listener] of Object.entries(listeners)) redis.on(event, listener);
  return () => {
    for (const [event, listener] of Object.entries(listeners)) redis.off(event, listener);
  };
}
