-- Included by the scripts of the semaphore.

-- The number that Redis would count with, when it is the text of one; else nil. Redis refuses to count with more than 64 bits, with `1.5` and with `007`;
-- Lua is exact up to 2^53.
local function countIn(text)
  local n = tonumber(text)
  if n and math.abs(n) <= 9007199254740991 and string.format('%d', n) == text then return n end
end

-- The permits that are free, or nil when there is no semaphore; and the error reply where something else has the name.
local function freeIn(key)
  local value = redis.pcall('GET', key)
  if type(value) == 'table' and not string.find(value.err, 'WRONGTYPE', 1, true) then return nil, value end
  local free = type(value) == 'string' and countIn(value) or nil
  if value and not free then return nil, { err = 'NOTASEMAPHORE this key is not a semaphore' } end
  return free
end
