-- Included by the scripts of the latch. What is left to be counted under KEYS[1]: nil when there is no latch, or nil and an error when something
-- else stands there. Redisson deletes a latch at 0 too, and takes what is below for 0.

local function countOf()
  local text = redis.call('GET', KEYS[1])
  if not text then return nil end
  local count = string.find(text, '^%-?%d+$') and tonumber(text)
  if not count or count > 9007199254740991 then return nil, { err = 'NOTALATCH this is not the count of a latch' } end
  return math.max(count, 0)
end
