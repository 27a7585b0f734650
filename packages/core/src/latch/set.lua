-- Begins a round of a latch, if none is under way. A copy (same request) does nothing and is answered as the first: it must not begin another
-- round when this one is over.
--
-- KEYS  latch round dead mark
-- ARGV  count tombstoneMs request channel trust
--   round, dead, tombstoneMs   see latch/count.lua
--   request                    names the round
--   mark                       `<line> <n> <round>`: this round is the n-th of a line, which is named after its first. It stays when the round is over, whoever
--                              has ended it, and goes only with the data
--   channel                    is told `1` when a round has begun: Redisson's clients close their gates
--   trust                      see read-write/announce.lua
--
-- Replies
--   set isNew    1 = begun, 0 = there is one

--#include protocol/question
--#include protocol/args
--#include latch/count-of
--#include read-write/announce

local LONGEST_MS = 2147483648
local count = integer(1, 1, 9007199254740991)
local tombstoneMs = integer(2, 1)

local known = redis.call('GET', KEYS[3])
if known then return { 'set', tonumber(known), question } end

local present, refused = countOf()
if refused then return refused end
local isNew = present and 0 or 1
local line, nth = string.match(redis.call('GET', KEYS[4]) or '', '^(%S+) (%d+) ')

-- As in latch/count.lua; but a full server begins no round.
if isNew == 0 then redis.call('DEL', KEYS[3]) end
redis.call('SET', KEYS[3], isNew, 'PX', tombstoneMs)
if isNew == 1 then
  redis.call('DEL', KEYS[2])
  local noted = redis.pcall('HSET', KEYS[2], 'round', ARGV[3])
  if type(noted) == 'table' then
    redis.call('DEL', KEYS[3])
    return noted
  end
  redis.pcall('PEXPIRE', KEYS[2], LONGEST_MS)
  local mark = string.format('%s %.0f %s', line or ARGV[3], (nth or 0) + 1, ARGV[3])
  redis.call('SET', KEYS[4], mark, 'PX', LONGEST_MS)
  redis.call('SET', KEYS[1], string.format('%.0f', count))
  announce(ARGV[4], ARGV[5] == '1')
end
return { 'set', isNew, question }
