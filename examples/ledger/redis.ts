import { Redis } from 'ioredis';

/** A connection whose keys, locks included, all lie below `keyPrefix`. */
export function connect(keyPrefix: string): Redis {
  const url = process.env.REDIS_URL;
  if (url === undefined) throw new Error('REDIS_URL is not set; `npm run demo` sets it');
  return new Redis(url, { keyPrefix });
}
