-- Who holds a read-write lock, and who waits for it. Read-only.
--
-- KEYS  lock writers readers fresh
-- ARGV  most
--   most   of the holders, and of each queue, no more than about so many
--
-- Reply: now (server ms); PTTL of the lock; its side, or '' when it is free or a lock of another kind; and as flat lists those who hold it, each
-- with the end of its lease (server ms), the waiting writers, and the waiting readers, each with its ticket and fresh entry ('' when it has none)

--#include protocol/question
--#include protocol/args

local most = integer(1, 1)
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)

local side = redis.call('HGET', KEYS[1], 'side')
if side ~= 'r' and side ~= 'w' then side = '' end
local holders = {}
if side ~= '' then
  local flat = redis.call('HSCAN', KEYS[1], 0, 'COUNT', most)[2]
  for i = 1, #flat, 2 do
    if string.find(flat[i], ':', 1, true) and (tonumber(flat[i + 1]) or 0) > nowMs then
      holders[#holders + 1] = flat[i]
      holders[#holders + 1] = flat[i + 1]
    end
  end
end

local function waitingIn(queue)
  local found = {}
  local flat = redis.call('ZRANGE', queue, 0, most - 1, 'WITHSCORES')
  for i = 1, #flat, 2 do
    found[#found + 1] = flat[i]
    found[#found + 1] = flat[i + 1]
    found[#found + 1] = redis.call('HGET', KEYS[4], flat[i]) or ''
  end
  return found
end

return { nowMs, redis.call('PTTL', KEYS[1]), side, holders, waitingIn(KEYS[2]), waitingIn(KEYS[3]), question }
