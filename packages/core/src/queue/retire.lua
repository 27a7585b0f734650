-- Included by release and cancel: takes tenure ARGV[1] out of the queue and, when barMs > 0, bars its late asks.
--
-- ZREM comes first because a full server never refuses it, and once a script has written, its SET is not refused
-- for memory either. Whatever an ACL refuses here stops the script while the lock is still untouched.
-- The note of inherited.lua goes with the last waiter. Those who are left need it: a waiter may not ask again before its turn.

local function retire(barMs)
  redis.call('ZREM', KEYS[2], ARGV[1])
  redis.call('HDEL', KEYS[3], ARGV[1], redis.call('EXISTS', KEYS[2]) == 0 and 'returned' or '')
  if barMs > 0 then redis.call('SET', KEYS[4], 1, 'PX', barMs) end
end
