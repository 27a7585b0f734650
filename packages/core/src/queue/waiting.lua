-- Included by scripts of locks that one tenure has at a time. Expects KEYS[2] = queue.

local function waiting()
  return tonumber(redis.pcall('ZCARD', KEYS[2])) or 0
end
