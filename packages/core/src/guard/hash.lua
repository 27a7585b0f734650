-- Writes fields of a hash, unless a later token has written to that key. The record is the field `fence` of the hash itself.
--
-- KEYS  hash record
-- ARGV  token n command
--   command  HSET or HDEL; its arguments follow
--
-- Replies
--   written       done, now or by an earlier copy
--   stale token   nothing was done: that later token has written

--#include protocol/question
--#include protocol/args
--#include guard/verdict

local said, more = verdict()
if not said then return more end
if said ~= 'new' then return { said, more or '', question } end

local record = ARGV[1] .. ' ' .. ARGV[2]
if ARGV[3] == 'HSET' then
  redis.call('HSET', KEYS[1], 'fence', record, unpack(ARGV, 4, #ARGV - 1))
else
  -- There is no such field. Where none may be deleted, it ends here, before anything is written.
  redis.call('HDEL', KEYS[1], 'fence ' .. record)
  -- The record first: a hash that loses its last field is gone, and its TTL with it.
  redis.call('HSET', KEYS[1], 'fence', record)
  redis.call('HDEL', KEYS[1], unpack(ARGV, 4, #ARGV - 1))
end
return { 'written', '', question }
