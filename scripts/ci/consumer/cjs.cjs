const holdfast = require('holdfast');
const { Redis } = require('ioredis');
const { scenario } = require('./scenario.cjs');

const redis = new Redis(process.env.REDIS_URL);
// A rejection ends the process with an error, which is what a check wants.
void scenario(holdfast, redis).then(() => redis.disconnect());
