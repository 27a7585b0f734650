-- Goes on with a grant step that met its limit, and gives back what leases had that have ended. Does nothing that any ask would not do, so a copy
-- does no harm.
--
-- KEYS  count queue fresh timeouts permits
-- ARGV  claimMs trust releaseChannel
--   releaseChannel  see announce.lua
--
-- Replies
--   served left    as of lock/serve

--#include protocol/question
--#include protocol/args
--#include queue/inbox
--#include permits/holders
--#include permits/take
--#include permits/give
--#include permits/sweep
--#include permits/grant
--#include permits/announce

local claimMs = integer(1, 1)
local trust = ARGV[2] == '1'

local nowMs = msOf(redis.call('TIME'))
local notASemaphore = look()
if notASemaphore then return notASemaphore end
sweep(nowMs)
passOn(nil, claimMs, trust, nowMs)
if untold then announce(ARGV[3], trust) end
return { 'served', unserved(), question }
