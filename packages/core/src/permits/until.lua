-- Sets when the lease of a permit ends, by its id: later, or sooner. A copy (same request) is answered as the first, and changes nothing: the lease may
-- have been set anew meanwhile.
--
-- KEYS  count queue fresh dead permits
-- ARGV  id leaseMs tombstoneMs
--   dead         tombstone of this request: the answer
--   leaseMs      from now, or `never`: until it is given back
--   tombstoneMs  how long copies of this request are recognised
--
-- Replies
--   leased had    1 = its lease ends so much later than now, or with the semaphore; 0 = the id stands for no permit, or its lease had ended

--#include protocol/question
--#include protocol/args
--#include queue/inbox
--#include permits/holders
--#include permits/take
--#include permits/sooner

local id = ARGV[1]
local leaseMs = ARGV[2] == 'never' and 0 or integer(2, 1)
local tombstoneMs = integer(3, 1)

local known = redis.call('GET', KEYS[4])
if known then return { 'leased', tonumber(known), question } end

local nowMs = msOf(redis.call('TIME'))
local notASemaphore = look()
if notASemaphore then return notASemaphore end
local n = free and lasting(id, nowMs)

redis.call('DEL', KEYS[4])
redis.call('SET', KEYS[4], n and 1 or 0, 'PX', tombstoneMs)
if not n then return { 'leased', 0, question } end

sweepAt = tonumber(redis.call('HGET', permits, 'sweep'))
local soonest = sweepAt
local lastsMs = within(leaseMs, redis.call('PTTL', count))
local reply = record(id, n, lastsMs > 0 and nowMs + lastsMs or 0)
if type(reply) == 'table' then
  redis.pcall('DEL', KEYS[4])
  return reply
end
tellIfSooner(soonest)
return { 'leased', 1, question }
