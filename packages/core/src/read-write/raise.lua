-- Raises the lease of a holder and counts who waits. Never shortens a lease, never revives one: a copy does no harm.
--
-- KEYS  lock writers readers
-- ARGV  tenure leaseMs
--   leaseMs  0 = only look
--
-- Replies (others = tenures that wait for what this one keeps from them; now = server ms)
--   passed remaining others now
--   lost

--#include protocol/question
--#include protocol/args

local leaseMs = integer(2, 0)

local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local state = redis.pcall('HMGET', KEYS[1], 'side', ARGV[1])
-- A key of another type does not concern the holder: its hold was taken away.
if state.err and not string.find(state.err, 'WRONGTYPE', 1, true) then return state end
local untilMs = state[1] and tonumber(state[2])
if not untilMs or untilMs <= nowMs then return { 'lost', question } end

local others = redis.call('ZCARD', KEYS[2])
if state[1] == 'w' then others = others + redis.call('ZCARD', KEYS[3]) end
if untilMs < nowMs + leaseMs then
  untilMs = nowMs + leaseMs
  -- The TTL before the lease: if the second write were refused, a longer TTL does no harm. And a full server does not refuse it then.
  if redis.call('PTTL', KEYS[1]) < leaseMs then redis.call('PEXPIRE', KEYS[1], leaseMs) end
  redis.call('HDEL', KEYS[1], '')
  redis.call('HSET', KEYS[1], ARGV[1], untilMs)
end
return { 'passed', untilMs - nowMs, others, nowMs, question }
