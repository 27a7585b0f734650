-- Included by the scripts of the latch. What is left to be counted under KEYS[1]: nil when there is no latch, or nil and an error when something
-- else stands there. Redisson deletes a latch at 0 too, and takes what is below for 0.

-- How long the mark of a round outlives its end.
local OUTLIVES_MS = 3600000

local function countOf()
  local text = redis.pcall('GET', KEYS[1])
  if not text then return nil end
  local isText = type(text) == 'string'
  if not isText and not string.find(text.err, 'WRONGTYPE', 1, true) then return nil, text end
  local count = isText and string.find(text, '^%-?%d+$') and tonumber(text)
  if not count or count > 9007199254740991 then return nil, { err = 'NOTALATCH this is not the count of a latch' } end
  return math.max(count, 0)
end
