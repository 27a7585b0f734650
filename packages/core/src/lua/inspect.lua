-- Everything that Redis knows of a lock. Read-only.
--
-- KEYS  lock queue fresh
-- ARGV
--
-- Reply: now (server ms), PTTL of the lock, its fields, the queue with tickets, the fresh entries; the last three as
-- flat lists of pairs.

--#include question

local time = redis.call('TIME')
return {
  time[1] * 1000 + math.floor(time[2] / 1000),
  redis.call('PTTL', KEYS[1]),
  redis.call('HGETALL', KEYS[1]),
  redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES'),
  redis.call('HGETALL', KEYS[3]),
  question,
}
