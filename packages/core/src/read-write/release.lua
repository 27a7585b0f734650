-- Gives the lock back, and lets in who may come in then. Counts of nested holds are kept by the client, so there is nothing to count down,
-- and a copy changes nothing. A late copy answers `released` where a tombstone shows that an earlier copy did the work.
--
-- KEYS  lock writers readers fresh dead
-- ARGV  tenure tombstoneMs claimMs trust writersFirst releaseChannel
--   tombstoneMs     how long late asks of this tenure are refused; 0 = none can be on its way (clean)
--   claimMs, trust, writersFirst  see grant.lua
--   releaseChannel  is told `1` when the lock is free (Redisson's waiters)
--
-- Replies
--   released, unserved left, notHeld   as of lock/release; a lock that others got, or still hold, is `released` too

--#include protocol/question
--#include protocol/args
--#include read-write/holders
--#include read-write/announce

local tenure = ARGV[1]
local tombstoneMs = integer(2, 0)
local claimMs = integer(3, 1)
local trust = ARGV[4] == '1'
local writersFirst = ARGV[5] == '1'

-- The whole uncontended path: nobody waits, and nothing is to be barred. Whether leases have ended does not matter then: the next ask looks.
if tombstoneMs == 0 and redis.call('EXISTS', writers, readers) == 0 then
  local state = redis.pcall('HMGET', lock, 'side', tenure)
  if not state.err and state[1] and state[2] then
    if state[1] == 'r' and redis.call('HLEN', lock) > 4 then
      redis.call('HDEL', lock, tenure)
    else
      redis.call('DEL', lock)
      announce(ARGV[6], trust)
    end
    return 'released ' .. question
  end
end

--#include read-write/grant
--#include read-write/leave

local nowMs = serverMs(redis.call('TIME'))
local known = redis.call('EXISTS', KEYS[5]) == 1
look(nowMs)
local held = leave(tombstoneMs)
passOn(nil, nil, claimMs, trust, nowMs, writersFirst)
if before and not side then announce(ARGV[6], trust) end
if not held and not known then return { 'notHeld', question } end
local left = unserved()
if left > 0 then return { 'unserved', left, question } end
return { 'released', question }
