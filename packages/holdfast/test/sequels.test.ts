import { expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { NodeConnection } from '../src/connection/node-connection.js';
import { drivenTools } from './support/driven-tools.js';

it.each([
  "Stream isn't writeable and enableOfflineQueue options is false",
  'Reached the max retries per request limit (which is 0). Refer to "maxRetriesPerRequest" option for details.',
  'Connection is closed.',
])('why there is no connection is not hidden by what follows from it, and is not told twice: %s', (sequel) => {
  const redis = new Redis({ lazyConnect: true });
  const told: string[] = [];
  const tools = {
    ...drivenTools().tools,
    onError: (_: string, error: unknown) => void told.push((error as Error).message),
  };
  const nobody = () => undefined;
  const listener = { onDown: nobody, onUp: nobody, onOther: nobody, onLooked: nobody, onLastingTrouble: nobody };
  const connection = new NodeConnection('node', { redis, ownership: 'ours' }, listener, tools);
  redis.emit('error', new Error(sequel));
  expect(told).toHaveLength(1);
  redis.emit('error', new Error('why'));
  redis.emit('close');
  redis.emit('error', new Error(sequel));
  expect(connection.trouble?.message).toBe('why');
  redis.emit('error', new Error('why else'));
  expect(connection.trouble?.message).toBe('why else');
  expect(told.slice(1)).toEqual(['why', 'why else']);
});
