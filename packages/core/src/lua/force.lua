-- Takes the lock from whoever owns it, passes it to the next waiter or frees it, and tells the old owner.
--
-- KEYS  lock queue fresh
-- ARGV  claimMs trust releaseChannel
--   as for release
--
-- Replies
--   forced owner    the owner before, or nil

--#include args
--#include own
--#include grant
--#include owner

local claimMs = integer(1, 1, MAX.ms)

local before = owner()
local ours = redis.call('HEXISTS', KEYS[1], 'seq') == 1
local removed = redis.call('DEL', KEYS[1])
local granted = passOn(nil, nil, claimMs, ARGV[2] == '1')
if removed == 1 and not granted then redis.pcall('PUBLISH', ARGV[3], '0') end
if before and ours then tell(before, '1 lost ' .. before .. ' force-unlocked') end
return { 'forced', before or false }
