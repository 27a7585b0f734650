-- Included by scripts that only look. How many permits Redisson's clients have of its expirable semaphore, which keeps them in the sorted set `key`; or nil
-- and what was refused.

local function javasIn(key, nowMs)
  local n = redis.pcall('ZCOUNT', key, nowMs, '+inf')
  if type(n) ~= 'table' then return n end
  -- A lock, or another semaphore, may have that name.
  if string.find(n.err, 'WRONGTYPE', 1, true) then return 0 end
  return nil, n
end
