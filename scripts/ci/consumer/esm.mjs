import * as holdfast from 'holdfast';
import { Redis } from 'ioredis';
import { scenario } from './scenario.cjs';

const redis = new Redis(process.env.REDIS_URL);
await scenario(holdfast, redis);
redis.disconnect();
