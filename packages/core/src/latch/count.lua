-- Counts a latch down by one. At 0 the latch goes, and who waits is told.
-- A copy (same request) does nothing and is answered as the first: it must not count twice, nor in the next round.
--
-- KEYS  latch round dead mark
-- ARGV  tombstoneMs by channel trust
--   round         what is known of this round: `round`, the request that has set it, and `by <id>` of each who has counted
--   mark          see latch/set.lua
--   dead          tombstone of this request: what its first copy has answered
--   tombstoneMs   how long copies of this request are recognised
--   by            who counts, once a round; '' = whoever it is, it counts
--   channel       is told `0` when the count has reached 0
--   trust         see queue/announce.lua
--
-- Replies
--   counted left    what is left to be counted, as a text: clients spoil integers of that size; 0 also where there is no latch

--#include protocol/question
--#include protocol/args
--#include latch/count-of
--#include queue/announce

local LONGEST_MS = 2147483648
local tombstoneMs = integer(1, 1)
local by = ARGV[2]

local known = redis.call('GET', KEYS[3])
if known then return { 'counted', known, question } end

local before, refused = countOf()
if refused then return refused end
before = before or 0
local field = 'by ' .. by
local counts = before > 0 and (by == '' or redis.call('HEXISTS', KEYS[2], field) == 0)
local after = counts and before - 1 or before
local left = string.format('%.0f', after)

-- There is no such key yet; but a script that has written is not refused its SET by a full server.
redis.call('DEL', KEYS[3])
redis.call('SET', KEYS[3], left, 'PX', tombstoneMs)
if after == 0 then
  redis.call('DEL', KEYS[1], KEYS[2])
  if counts then announce(ARGV[3], ARGV[4] == '1') end
elseif counts then
  -- All else that can be refused was not: HSET before the count, and nothing is half done.
  local noted = by ~= '' and redis.pcall('HSET', KEYS[2], field, 1)
  if type(noted) == 'table' then
    redis.call('DEL', KEYS[3])
    return noted
  end
  redis.pcall('PEXPIRE', KEYS[2], LONGEST_MS)
  redis.call('SET', KEYS[1], left, 'KEEPTTL')
end
-- The mark stays for an hour when the round is over: whoever waits and finds neither the round nor its mark knows that the round was lost.
redis.pcall('PEXPIRE', KEYS[4], after == 0 and OUTLIVES_MS or LONGEST_MS)
return { 'counted', left, question }
