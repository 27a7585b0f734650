-- Takes permits back by their ids, all of them or none, and serves those who wait. A copy (same request) is answered as the first.
--
-- KEYS  count queue fresh dead timeouts permits
-- ARGV  ids tombstoneMs claimMs trust releaseChannel
--   dead            tombstone of this request: the answer
--   ids             separated by spaces, each once
--   tombstoneMs     how long copies of this request are recognised
--   claimMs, trust  see grant.lua
--   releaseChannel  see announce.lua
--
-- Replies
--   returned n left    n permits are back; 0: an id stands for none, or its lease has ended. left as for lock/serve

--#include protocol/question
--#include protocol/args
--#include queue/inbox
--#include permits/holders
--#include permits/take
--#include permits/give
--#include permits/sweep
--#include permits/grant
--#include permits/announce

local tombstoneMs = integer(2, 1)
local claimMs = integer(3, 1)
local trust = ARGV[4] == '1'

local known = redis.call('GET', KEYS[4])
if known then return { 'returned', tonumber(known), 0, question } end

local nowMs = msOf(redis.call('TIME'))
local notASemaphore = look()
if notASemaphore then return notASemaphore end

local ids, all, sum = {}, free ~= nil, 0
for id in string.gmatch(ARGV[1], '%S+') do
  local n = lasting(id, nowMs)
  ids[#ids + 1] = id
  all = all and n
  sum = sum + (n or 0)
end
if not all then sum = 0 end

-- A script that has written is not refused its other writes by a full server. And who may not take records out leaves no answer that says so.
redis.call('HDEL', permits, '')
redis.call('SET', KEYS[4], sum, 'PX', tombstoneMs)
sweep(nowMs)
if sum > 0 then
  for _, id in ipairs(ids) do
    shrink(id, parse(redis.call('HGET', permits, id)), 0, 0)
  end
end
passOn(nil, claimMs, trust, nowMs)
if sum > 0 or untold then announce(ARGV[5], trust) end
return { 'returned', sum, unserved(), question }
