-- Who holds the lock, for how long, and does this tenure? Read-only.
--
-- KEYS  lock
-- ARGV  tenure
--
-- Reply: r, w, foreign or free; what is left of the longest lease (of a foreign owner: PTTL); 1 = this tenure holds it

--#include protocol/question

local fields = redis.pcall('HGETALL', KEYS[1])
if fields.err then
  if string.find(fields.err, 'WRONGTYPE', 1, true) then return { err = 'NOTALOCK this key is not a lock' } end
  return fields
end
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local side
local longestMs, mine = 0, 0
for i = 1, #fields, 2 do
  local field, value = fields[i], fields[i + 1]
  if field == 'side' then side = value end
  local leftMs = string.find(field, ':', 1, true) and (tonumber(value) or 0) - nowMs or 0
  if leftMs > 0 then
    longestMs = math.max(longestMs, leftMs)
    if field == ARGV[1] then mine = 1 end
  end
end
if side and longestMs > 0 then return { side, longestMs, mine, question } end
if side or #fields == 0 then return { 'free', 0, 0, question } end
return { 'foreign', redis.call('PTTL', KEYS[1]), 0, question }
