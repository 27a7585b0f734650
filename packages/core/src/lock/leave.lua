-- What release does, and for each of its tenures releases; keys, arguments and replies are those of release.

--#include protocol/question
--#include protocol/args
--#include lock/standing
--#include queue/announce

local tenure = ARGV[1]
local seq = integer(2, 1, 9007199254740991)
local tombstoneMs = integer(3, 0)
local claimMs = integer(4, 1)
local trust = ARGV[5] == '1'

local count, last = standing()
local isNew = seq > last

-- The whole uncontended path: the last hold, no waiters, nothing to bar. What other releases need comes after it, as in ask.
if count == 1 and isNew and tombstoneMs == 0 and redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('DEL', KEYS[1])
  announce(ARGV[6], trust)
  return 'released ' .. question
end

local turn = ARGV[7] ~= '-' and integer(7, 1) or nil

--#include lock/own
--#include queue/retire
--#include queue/waiting
--#include queue/inbox
--#include queue/grant

if not count then
  local known = redis.call('EXISTS', KEYS[4]) == 1
  retire(tombstoneMs)
  return { known and 'released' or 'notHeld', question }
end

if not isNew then return { 'held', count, question } end

if count > 1 then
  -- An owner is not queued, so ZREM removes nothing; as the first write it keeps a full server from refusing the HSET.
  redis.call('ZREM', KEYS[2], tenure)
  redis.call('HSET', KEYS[1], tenure, count - 1, 'seq', ARGV[2])
  return { 'held', count - 1, question }
end

if tombstoneMs > 0 then retire(tombstoneMs) end
redis.call('DEL', KEYS[1])
local granted, _, left = passOn(nil, nil, claimMs, trust, nil, nil, turn)
if granted then return { 'granted', granted, question } end
announce(ARGV[6], trust)
if left > 0 then return { 'unserved', left, question } end
return { 'released', question }
