-- Local handoff with a lease of its own: the last hold of a tenure ends and a new one of the same tenure begins, in one
-- step. No message is sent and the queue is not touched. The lease becomes exactly leaseMs (it may get shorter: it is a
-- new hold). A copy (seq not above the stored one) changes nothing.
--
-- KEYS  lock queue
-- ARGV  tenure seq leaseMs
--
-- Replies (remaining is a PTTL: -1 = no TTL; others = waiters; now = server ms)
--   passed remaining others now
--   lost                    not the owner, or with more than one hold

--#include protocol/question
--#include protocol/args
--#include lock/standing

local seq = integer(2, 1, 9007199254740991)
local leaseMs = integer(3, 1)

local count, last = standing()
if not count then return { 'lost', question } end

-- Everything is read before the first write, so that no refused read can hide a handoff that was done.
local remainingMs = redis.call('PTTL', KEYS[1])
local others = redis.call('ZCARD', KEYS[2])
local time = redis.call('TIME')

if seq > last then
  if count ~= 1 then return { 'lost', question } end
  -- PEXPIRE first: a full server does not refuse it, and after it does not refuse the HSET.
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  redis.call('HSET', KEYS[1], 'seq', ARGV[2])
  remainingMs = leaseMs
end
return { 'passed', remainingMs, others, time[1] * 1000 + math.floor(time[2] / 1000), question }
