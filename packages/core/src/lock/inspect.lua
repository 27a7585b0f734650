-- Everything that Redis knows of a lock. Read-only.
--
-- KEYS  lock queue fresh
-- ARGV
--
-- Reply: now (server ms), PTTL of the lock, its owner (nothing, or the owner, its hold count and, of ours, seq and, if it rests, until when),
-- and as flat lists of pairs the queue with tickets and the fresh entries.

--#include protocol/question
--#include lock/owner

local holder, fields, refused = owner('')
if refused then return refused end
local time = redis.call('TIME')
return {
  time[1] * 1000 + math.floor(time[2] / 1000),
  redis.call('PTTL', KEYS[1]),
  { holder, holder and (fields.side and '1' or fields[holder]), fields.seq, fields.rest },
  redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES'),
  redis.call('HGETALL', KEYS[3]),
  question,
}
