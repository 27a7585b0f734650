const { default: Redlock, ...redlock } = require('holdfast/redlock');
const { Redis } = require('ioredis');
const { lockedTwice } = require('./redlock-checks.cjs');

void lockedTwice({ ...redlock, Redlock }, new Redis(process.env.REDIS_URL));
