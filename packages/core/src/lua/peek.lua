-- Is it locked, for how long, and how often by this tenure? Read-only.
--
-- KEYS  lock
-- ARGV  tenure
--
-- Reply: PTTL of the lock (-2 = free, -1 = no TTL), hold count of the tenure (0 = not the owner)

--#include question

local count = redis.call('HGET', KEYS[1], ARGV[1])
return { redis.call('PTTL', KEYS[1]), tonumber(count) or 0, question }
