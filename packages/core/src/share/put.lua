-- Shares a value, if the tenure that has made it still owns the lock.
-- A copy that comes later does no harm: the owner has shared nothing else meanwhile, and the value ends when it would have ended anyway.
--
-- KEYS  lock value
-- ARGV  tenure untilMs text
--   untilMs   server time at which the value ends
--
-- Replies
--   put    or: over (its time is over, and nothing was done)
--   lost   the lock has another owner or none, and nothing was done

--#include protocol/question
--#include protocol/args
--#include lock/owner

local untilMs = integer(2, 1, 9007199254740991)
local holder, _, refused = owner(ARGV[1])
if refused then return refused end
if holder ~= ARGV[1] then return { 'lost', question } end
local time = redis.call('TIME')
local ttlMs = untilMs - (time[1] * 1000 + math.floor(time[2] / 1000))
if ttlMs <= 0 then return { 'over', question } end
redis.call('SET', KEYS[2], ARGV[3], 'PX', string.format('%.0f', ttlMs))
return { 'put', question }
