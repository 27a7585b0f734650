-- Gives permits back, all or some of them, withdraws a tenure that waits, and serves those who wait. `left` is how many the tenure keeps: a number
-- that only falls, so that copies in any order change nothing.
--
-- KEYS  count queue fresh dead timeouts permits
-- ARGV  tenure left tombstoneMs claimMs trust releaseChannel
--   left            how many it keeps; 0: it is over, whatever it was
--   tombstoneMs     how long late asks of this tenure are refused; 0 = none can be on its way (clean). Only where left is 0
--   claimMs, trust  see grant.lua
--   releaseChannel  see announce.lua
--
-- Replies for left 0
--   released            it had permits, or an earlier copy has given them back
--   notHeld, unserved   with the number of waiters that this step has not come to: it had none; it had some
-- Replies for others (others = tenures that wait, now = server ms)
--   passed remaining others now    it has that many now, or fewer
--   lost                           it has none

--#include protocol/question
--#include protocol/args
--#include permits/holders
--#include permits/give

local tenure = ARGV[1]
local left = integer(2, 0)
local tombstoneMs = integer(3, 0)
local claimMs = integer(4, 1)
local trust = ARGV[5] == '1'

-- The whole uncontended path: nobody waits, and nothing is to be barred. Whether leases have ended does not matter then: the next ask looks.
if left == 0 and tombstoneMs == 0 and redis.call('EXISTS', queue) == 0 then
  local had, endsAt = parse(redis.call('HGET', permits, tenure))
  if had and not look() then
    shrink(tenure, had, endsAt, 0)
    if free and free > 0 then
      redis.pcall('PUBLISH', ARGV[6], free)
      if not trust then redis.pcall('SPUBLISH', ARGV[6], free) end
    end
    return 'released ' .. question
  end
end

--#include queue/inbox
--#include queue/retire
--#include permits/take
--#include permits/sweep
--#include permits/grant
--#include permits/announce

local nowMs = msOf(redis.call('TIME'))
local known = redis.call('EXISTS', KEYS[4]) == 1
local notASemaphore = look()
if left == 0 then retire(tombstoneMs) end
if notASemaphore then return notASemaphore end
sweep(nowMs)
local n, untilMs = parse(redis.call('HGET', permits, tenure))
if n and n > left then shrink(tenure, n, untilMs, left) end
passOn(nil, claimMs, trust, nowMs)
-- Of what was kept for a waiter that gives up nobody was told.
announce(ARGV[6], trust)
if left > 0 then
  if not n then return { 'lost', question } end
  return { 'passed', untilMs > 0 and untilMs - nowMs or -1, waiting(), nowMs, question }
end
if not n and not known then return { 'notHeld', unserved(), question } end
if limited then return { 'unserved', unserved(), question } end
return { 'released', question }
