-- What is shared under a name. Read-only.
--
-- KEYS  value
-- ARGV
--
-- Reply: the value ('' = there is none), now (server ms)

--#include protocol/question

local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
return { redis.call('GET', KEYS[1]) or '', nowMs, question }
