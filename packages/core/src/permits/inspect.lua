-- Everything that Redis knows of a semaphore. Read-only.
--
-- KEYS  count queue fresh timeouts permits
-- ARGV
--
-- Reply: now (server ms); the counter, if there is one, with what Redisson's clients had whose lease has ended; how many permits Redisson's clients have of its expirable semaphore; and as flat lists of pairs who
-- has permits, the queue with tickets and the fresh entries.

--#include protocol/question
--#include permits/holders
--#include permits/javas

local nowMs = msOf(redis.call('TIME'))
local notASemaphore = look()
if notASemaphore then return notASemaphore end
local javas, ended = javasIn(KEYS[4], nowMs)
if not javas then return ended end
return {
  nowMs,
  -- As text: of numbers near 2^53 ioredis makes others.
  { free and string.format('%.0f', free + ended) },
  javas,
  redis.call('HGETALL', permits),
  redis.call('ZRANGE', queue, 0, -1, 'WITHSCORES'),
  redis.call('HGETALL', fresh),
  question,
}
