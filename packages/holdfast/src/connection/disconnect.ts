import type { Redis } from 'ioredis';

/** Ends a connection of ours and waits until its socket is gone. */
export async function disconnect(redis: Redis): Promise<void> {
  const stream: Redis['stream'] | undefined = redis.stream;
  // Without a socket ioredis emits no event between two attempts, nor where fake timers have stopped it before it made one. Of one to a sentinel it says nothing.
  const isAsking = redis.status === 'connecting' && redis.options.sentinels;
  const hasSocket = isAsking || (stream && !stream.closed);
  const ended = new Promise((resolve) => {
    redis.once('end', resolve);
    // ioredis tells by way of process.nextTick, which fake timers stop. The socket itself is not stopped by them.
    stream?.once('close', resolve);
  });
  // ioredis hears one error of a socket. One that is ended during its TLS handshake may have two, and the second would end the process.
  stream?.on('error', () => undefined);
  redis.disconnect();
  // Once more, as ioredis does with those on which it asked something, and it would keep a timer for a socket that is gone.
  redis.disconnect = () => undefined;
  if (hasSocket) await ended;
}
