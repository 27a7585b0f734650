-- Takes the lock from its owner, passes it to the next waiter or frees it, and tells the old owner. A read-write lock is taken
-- from all who hold it.
-- A copy (same request) changes nothing and is answered as the first: it must not hit the owner that came after.
--
-- KEYS  lock queue fresh dead
-- ARGV  tombstoneMs claimMs trust releaseChannel
--   dead            tombstone of this request: holds the old owner, or '' when there was none
--   tombstoneMs     how long copies of this request are recognised
--   claimMs, trust  see grant.lua
--   releaseChannel  is told `0` when an owner went and no waiter was granted the lock
--
-- Replies
--   forced owners left   the owner before, or ''; of a read-write lock its holders, by spaces. left as for release

--#include protocol/question
--#include protocol/args
--#include lock/own
--#include queue/inherited
--#include queue/waiting
--#include queue/inbox
--#include queue/grant
--#include queue/announce
--#include lock/owner

local tombstoneMs = integer(1, 1)
local claimMs = integer(2, 1)
local trust = ARGV[3] == '1'

local known = redis.call('GET', KEYS[4])
if known then return { 'forced', known, 0, question } end

local holder, fields, refused = owner('')
if refused then return refused end
local old = { holder }
if fields.side then
  old = {}
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if string.find(field, ':', 1, true) then old[#old + 1] = field end
  end
end
local before = table.concat(old, ' ')
-- There is no such key yet; but a script that has written is not refused its SET by a full server.
redis.call('DEL', KEYS[4])
redis.call('SET', KEYS[4], before, 'PX', tombstoneMs)
local removed = redis.call('DEL', KEYS[1])

-- Of a lock that rests nobody is deprived; one that is gone although tenures wait was not given back.
local function inheritance()
  if holder then return not fields.rest and { reason = 'forced' } or nil end
  local time = redis.call('TIME')
  return foundGone(time[1] * 1000 + math.floor(time[2] / 1000))
end

local inherited = inheritance()
local granted, _, left = passOn(nil, nil, claimMs, trust, nil, inherited)
if removed == 1 and not granted then announce(ARGV[4], trust) end
if (fields.seq or fields.side) and not fields.rest then
  for _, one in ipairs(old) do tell(one, '1 lost ' .. one .. ' force-unlocked') end
end
return { 'forced', before, left, question }
