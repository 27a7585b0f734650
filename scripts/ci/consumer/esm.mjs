import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import * as holdfast from 'holdfast';
import { Redis } from 'ioredis';
import { scenario } from './scenario.cjs';

const redis = new Redis(process.env.REDIS_URL);
await scenario(holdfast, redis);
// Here and not in every bundle: a user's own may have other names for classes.
const client = holdfast.createLockClient({ redis });
assert.match(inspect(client.getLock('invoice:42')), /^LockHandle /);
await client.close();
redis.disconnect();
