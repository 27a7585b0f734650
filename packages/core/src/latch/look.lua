-- What is left to be counted, of which round, and how many ids have counted in it? Read-only.
--
-- KEYS  latch round mark
-- ARGV
--
-- Reply: the count, as a text (0 = there is no latch), the request that has set this round ('' = Redisson has, or it is forgotten),
-- how many ids have counted in it (0 = none, or it is not known), and the mark ('' = there is none)

--#include protocol/question
--#include latch/count-of

local count, refused = countOf()
if refused then return refused end
local round = redis.call('HGET', KEYS[2], 'round')
return { string.format('%.0f', count or 0), round or '', round and redis.call('HLEN', KEYS[2]) - 1 or 0, redis.call('GET', KEYS[3]) or '', question }
