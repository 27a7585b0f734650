-- Takes a latch away, whatever is left to be counted, and tells who waits. A copy (same request) does nothing and is answered as the first: it must
-- not take the next round away.
--
-- KEYS  latch round dead mark
-- ARGV  tombstoneMs channel trust
--   dead, tombstoneMs   see latch/count.lua
--   channel, trust      as there
--   mark                see latch/set.lua
--
-- Replies
--   removed wasThere    1 = there was a latch, 0 = there was none

--#include protocol/question
--#include protocol/args
--#include latch/count-of
--#include queue/announce

local tombstoneMs = integer(1, 1)

local known = redis.call('GET', KEYS[3])
if known then return { 'removed', tonumber(known), question } end

local present, refused = countOf()
if refused then return refused end
local wasThere = present and 1 or 0

-- As in latch/count.lua.
redis.call('DEL', KEYS[3])
redis.call('SET', KEYS[3], wasThere, 'PX', tombstoneMs)
redis.call('DEL', KEYS[1], KEYS[2])
redis.pcall('PEXPIRE', KEYS[4], OUTLIVES_MS)
if present then announce(ARGV[2], ARGV[3] == '1') end
return { 'removed', wasThere, question }
