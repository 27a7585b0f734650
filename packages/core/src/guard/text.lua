-- Writes a string, or deletes it, unless a later token has written to that key. The record is a key of its own, which lives as long as the string, and for a
-- day at least: behind a string that has ended, or was deleted, it refuses late writers too.
--
-- KEYS  text record
-- ARGV  token n command value ttlMs
--   command  SET or DEL
--   ttlMs    of the string; 0 = none
--
-- Replies as guard/hash

--#include protocol/question
--#include protocol/args
--#include guard/verdict

local DAY_MS = 86400000
local ttlMs = integer(5, 0)
local said, more = verdict()
if not said then return more end
if said ~= 'new' then return { said, more or '', question } end

-- Refuses what is no string: SET would replace it, and DEL take it away.
redis.call('STRLEN', KEYS[1])
local record = ARGV[1] .. ' ' .. ARGV[2]
if ARGV[3] == 'DEL' then
  -- Changes nothing: whether the record may be written. What a full server refuses it does not behind a DEL.
  local asked = redis.pcall('SET', KEYS[2], record, redis.call('GET', KEYS[2]) and 'NX' or 'XX')
  if asked and not string.find(asked.err, 'OOM command', 1, true) then return asked end
  redis.call('DEL', KEYS[1])
  redis.call('SET', KEYS[2], record, 'PX', DAY_MS)
elseif ttlMs > 0 then
  redis.call('SET', KEYS[1], ARGV[4], 'PX', ttlMs)
  redis.call('SET', KEYS[2], record, 'PX', math.max(ttlMs, DAY_MS))
else
  redis.call('SET', KEYS[1], ARGV[4])
  redis.call('SET', KEYS[2], record)
end
return { 'written', '', question }
