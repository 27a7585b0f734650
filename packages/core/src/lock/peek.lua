-- Is it locked, for how long, and how often by this tenure? Read-only.
--
-- KEYS  lock
-- ARGV  tenure
--
-- Reply: PTTL of the lock (-2 = free, -1 = no TTL), hold count of the tenure (0 = not the owner)

--#include protocol/question
--#include lock/owner

local _, fields, refused = owner(ARGV[1])
if refused then return refused end
return { redis.call('PTTL', KEYS[1]), tonumber(fields[ARGV[1]]) or 0, question }
