-- Everything that Redis knows of a semaphore. Read-only.
--
-- KEYS  count queue fresh timeouts permits
-- ARGV
--
-- Reply: now (server ms); the counter, if there is one; how many permits Redisson's clients have of its expirable semaphore; and as flat lists of pairs who
-- has permits, the queue with tickets and the fresh entries.

--#include protocol/question
--#include permits/holders
--#include permits/javas

local nowMs = msOf(redis.call('TIME'))
local notASemaphore = look()
if notASemaphore then return notASemaphore end
local javas, refused = javasIn(KEYS[4], nowMs)
if refused then return refused end
return {
  nowMs,
  { free },
  javas,
  redis.call('HGETALL', permits),
  redis.call('ZRANGE', queue, 0, -1, 'WITHSCORES'),
  redis.call('HGETALL', fresh),
  question,
}
