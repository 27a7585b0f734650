import { Redis } from 'ioredis';
import { serveWorker } from '@holdfast/testkit';

export const methods = {
  add: (a: number, b: number): number => a + b,
  fail: (code: string): never => {
    throw Object.assign(new RangeError('on purpose'), { code });
  },
  never: (): Promise<void> => new Promise(() => undefined),
  report: (data: { n: number }): void => line.emit('reported', data),
  environment: () => ({ args: process.argv.slice(2), COLOUR: process.env['COLOUR'] }),
  ping: async (url: string): Promise<string> => {
    const redis = new Redis(url);
    try {
      return await redis.ping();
    } finally {
      redis.disconnect();
    }
  },
  crash: (): void => {
    setImmediate(() => {
      throw new Error('out of the blue');
    });
  },
  stayAlive: (): void => void setInterval(() => undefined, 1_000),
};

const line = serveWorker({ methods });
