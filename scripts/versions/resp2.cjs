// Loaded before everything else: ioredis 6 then speaks RESP2 wherever nobody says otherwise, in jest and in its workers.
const { createRequire } = require('node:module');

const fromHoldfast = createRequire(`${__dirname}/../../packages/holdfast/package.json`);
fromHoldfast('ioredis/built/redis/RedisOptions').DEFAULT_REDIS_OPTIONS.protocol = 2;
