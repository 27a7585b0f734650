-- Ends a tenure, and lets the lock rest: nobody has it, and nobody gets it until the time is over. Then the key goes by itself. It is the last
-- step, whatever is counted: a hold further in, whose release was refused, is over too.
-- A copy finds another owner and changes nothing; so does a late renewal, which must not prolong the rest.
--
-- The lock of a rest is a lock by its shape, for Java and for older versions too. Its owner is `rest:` and the tenure, as if that were its
-- explicit owner; `rest` says until when (server ms).
--
-- KEYS  lock queue fresh dead
-- ARGV  tenure seq tombstoneMs restMs trust releaseChannel
--   tombstoneMs     as for release
--   trust           see grant.lua
--   releaseChannel  is told `0`, so that Redisson's waiters ask how long it rests
--
-- Replies
--   resting         nobody has the lock any more, since this copy or an earlier one
--   held count      this is a copy: nothing was done
--   notHeld         the tenure is not the owner, and the lock does not rest for it: what it had is lost, or was ended by force

--#include protocol/question
--#include protocol/args
--#include lock/standing
--#include lock/own
--#include queue/retire
--#include queue/waiting
--#include queue/inbox
--#include queue/grant
--#include queue/announce

local seq = integer(2, 1, 9007199254740991)
local tombstoneMs = integer(3, 0)
local restMs = integer(4, 1)
local trust = ARGV[5] == '1'

local count, last = standing()
if not count then
  local rests = redis.pcall('HEXISTS', KEYS[1], 'rest:' .. ARGV[1]) == 1
  retire(tombstoneMs)
  return { rests and 'resting' or 'notHeld', question }
end
if seq <= last then return { 'held', count, question } end

local time = redis.call('TIME')
if tombstoneMs > 0 then retire(tombstoneMs) end
-- Whatever is refused, the lock stays taken: HDEL, PEXPIRE and HSET have been allowed before the tenure goes. A full server does not refuse the first two,
-- nor what follows them. And nobody stands beside the tenure, for those who read what the server has written.
redis.call('HDEL', KEYS[1], '')
redis.call('PEXPIRE', KEYS[1], restMs)
local untilMs = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + restMs)
redis.call('HSET', KEYS[1], 'rest', untilMs)
redis.call('HDEL', KEYS[1], ARGV[1], 'token', 'expired', 'forced')
redis.call('HSET', KEYS[1], 'rest:' .. ARGV[1], '1', 'seq', '1')
noteReturned('always')
-- All who wait expected a longer lease, perhaps. The first asks now, and then when the rest is over; the others follow in their turn.
local first = redis.pcall('ZRANGE', KEYS[2], 0, 0)
if first[1] then tell(first[1], '1 look ' .. first[1]) end
announce(ARGV[6], trust)
return { 'resting', question }
