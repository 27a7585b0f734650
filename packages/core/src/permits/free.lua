-- Included by the scripts of the semaphore: the number that Redis would count with, when it is the text of one; else nil. Redis refuses to count with
-- more than 64 bits, with `1.5` and with `007`; Lua is exact up to 2^53.

local function countIn(text)
  local n = tonumber(text)
  if n and math.abs(n) <= 9007199254740991 and string.format('%d', n) == text then return n end
end
