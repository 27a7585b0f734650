import Redlock, * as redlock from 'holdfast/redlock';
import { Redis } from 'ioredis';
import { lockedTwice } from './redlock-checks.cjs';

await lockedTwice({ ...redlock, Redlock }, new Redis(process.env.REDIS_URL));
