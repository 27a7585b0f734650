-- Withdraws a tenure for good, whatever it is by now: waiting, owner (its lock is passed on), or neither.
--
-- KEYS  lock queue fresh dead
-- ARGV  tenure tombstoneMs claimMs trust releaseChannel end
--   end   what the next owner is told, see inherited.lua: `lost` = it had holds that were lost; `released` = it had given all of them
--         back; `unused` = nobody ever had one: then what it inherited is still to be told
--   else as for release
--
-- Replies
--   cancelled wasGranted left    1 = the tenure was the owner; left as for release

--#include protocol/question
--#include protocol/args
--#include lock/standing
--#include lock/own
--#include queue/retire
--#include queue/inherited
--#include queue/waiting
--#include queue/inbox
--#include queue/grant
--#include queue/announce

local tombstoneMs = integer(2, 0)
local claimMs = integer(3, 1)
local trust = ARGV[4] == '1'

local wasGranted = standing() ~= nil
local inherited
if wasGranted and ARGV[6] == 'unused' then
  inherited = inheritedOf(unpack(redis.call('HMGET', KEYS[1], 'expired', 'forced')))
elseif ARGV[6] == 'lost' then
  inherited = { reason = 'expired' }
end
retire(tombstoneMs)
local left = 0
if wasGranted then
  redis.call('DEL', KEYS[1])
  local granted, _
  granted, _, left = passOn(nil, nil, claimMs, trust, nil, inherited)
  if not granted then announce(ARGV[5], trust) end
end
return { 'cancelled', wasGranted and 1 or 0, left, question }
