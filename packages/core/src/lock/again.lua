-- Nested acquire: one more hold of a tenure that owns the lock. Never creates the lock, never shortens its lease.
-- A copy (seq not above the stored one) changes nothing and is answered as the first.
--
-- KEYS  lock
-- ARGV  tenure seq leaseMs
--   leaseMs  0 = leave the TTL as it is
--
-- Replies
--   held count remaining    remaining is a PTTL: -1 = no TTL
--   lost                    the tenure is not the owner

--#include protocol/question
--#include protocol/args
--#include lock/standing

local seq = integer(2, 1, 9007199254740991)
local leaseMs = integer(3, 0)

local count, last = standing()
if not count then return { 'lost', question } end
local remainingMs = redis.call('PTTL', KEYS[1])

if seq > last then
  -- The lease before the count: if the second write were refused, a longer lease does no harm, a lost count does.
  if leaseMs > 0 and leaseMs > remainingMs then
    redis.call('PEXPIRE', KEYS[1], leaseMs)
    remainingMs = leaseMs
  end
  count = count + 1
  redis.call('HSET', KEYS[1], ARGV[1], count, 'seq', ARGV[2])
end
return { 'held', count, remainingMs, question }
