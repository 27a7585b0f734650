-- Who holds the lock, for how long, and does this tenure? Read-only.
--
-- KEYS  lock
-- ARGV  tenure
--
-- Reply: r, w, foreign or free; what is left of the longest lease (of a foreign owner: PTTL); 1 = this tenure holds it

--#include protocol/question
--#include lock/owner

local holder, fields, refused = owner('')
if refused then return refused end
if not holder then return { 'free', 0, 0, question } end
if not fields.side then return { 'foreign', redis.call('PTTL', KEYS[1]), 0, question } end
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local longestMs, mine = 0, 0
local flat = redis.call('HGETALL', KEYS[1])
for i = 1, #flat, 2 do
  local field = flat[i]
  local leftMs = string.find(field, ':', 1, true) and (tonumber(flat[i + 1]) or 0) - nowMs or 0
  if leftMs > 0 then
    longestMs = math.max(longestMs, leftMs)
    if field == ARGV[1] then mine = 1 end
  end
end
if longestMs == 0 then return { 'free', 0, 0, question } end
return { fields.side, longestMs, mine, question }
