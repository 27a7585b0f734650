-- What is left to be counted, and of which round? Read-only.
--
-- KEYS  latch round
-- ARGV
--
-- Reply: the count, as a text (0 = there is no latch), the request that has set this round ('' = Redisson has, or it is forgotten)

--#include protocol/question
--#include latch/count-of

local count, refused = countOf()
if refused then return refused end
return { string.format('%.0f', count or 0), redis.call('HGET', KEYS[2], 'round') or '', question }
