import type { Redis } from 'ioredis';

/**
 * Whether a server has left a command without an answer, and which error says so. From then on it is asked nothing more: each of many commands would take all the time
 * that one answer has.
 */
export function silenceOf(redis: Redis): () => Error | undefined {
  const send = redis.sendCommand.bind(redis);
  let silence: Error | undefined;
  redis.sendCommand = (...call) => {
    if (silence !== undefined) return Promise.reject(silence);
    const answer = send(...call) as Promise<unknown>;
    answer.catch((error: Error) => {
      if (error.message === 'Command timed out') silence = error;
    });
    return answer;
  };
  return () => silence;
}
