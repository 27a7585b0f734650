-- Tells the first of Redisson's clients that wait in its fair lock that the lock is free. Each of them listens to a channel of its own, behind its id, and some
-- versions do not look again before they hear there. A copy tells it once more, and it looks in vain.
--
-- KEYS  line
-- ARGV  releaseChannel trust
--   line    list in which Redisson keeps who waits, first come first
--   trust   see grant.lua
--
-- Replies
--   served 0    as of serve

--#include protocol/question
--#include queue/announce

local first = redis.call('LINDEX', KEYS[1], 0)
if first then announce(ARGV[1] .. ':' .. first, ARGV[2] == '1') end
return { 'served', 0, question }
