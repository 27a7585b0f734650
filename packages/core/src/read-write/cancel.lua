-- Withdraws a tenure for good, whatever it is by now: waiting, a holder, or neither. Even that of a mere waiter lets others in: readers may
-- have waited behind a writer that gives up.
--
-- KEYS  lock writers readers fresh dead
-- ARGV  tenure tombstoneMs claimMs trust writersFirst releaseChannel
--   as for release
--
-- Replies
--   cancelled wasGranted left    1 = the tenure held the lock; left as for lock/release

--#include protocol/question
--#include protocol/args
--#include read-write/holders
--#include read-write/announce
--#include read-write/grant
--#include read-write/leave

local tombstoneMs = integer(2, 0)
local claimMs = integer(3, 1)
local trust = ARGV[4] == '1'
local writersFirst = ARGV[5] == '1'

local nowMs = serverMs(redis.call('TIME'))
look(nowMs)
local held = leave(tombstoneMs)
passOn(nil, nil, claimMs, trust, nowMs, writersFirst)
if before and not side then announce(ARGV[6], trust) end
return { 'cancelled', held and 1 or 0, unserved(), question }
