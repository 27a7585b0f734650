-- What a list of locks says of one: who holds it, and how many wait. Read-only, and as cheap for a long queue as for none.
--
-- KEYS  lock queue writers readers
-- ARGV
--
-- Reply: now (server ms); PTTL of the lock; its owner, as of inspect; the side of a read-write lock, or ''; how many hold it; how many wait for it

--#include protocol/question
--#include lock/owner

local holder, fields, refused = owner('')
if refused then return refused end

local holders = holder and 1 or 0
-- Beside those who hold it, a read-write lock has `mode`, `side` and `sweep`.
if holder and fields.side then holders = math.max(1, redis.call('HLEN', KEYS[1]) - 3) end
local time = redis.call('TIME')
return {
  time[1] * 1000 + math.floor(time[2] / 1000),
  redis.call('PTTL', KEYS[1]),
  { holder, holder and (fields.side and '1' or fields[holder]), fields.seq, fields.rest },
  fields.side or '',
  holders,
  redis.call('ZCARD', KEYS[2]) + redis.call('ZCARD', KEYS[3]) + redis.call('ZCARD', KEYS[4]),
  question,
}
