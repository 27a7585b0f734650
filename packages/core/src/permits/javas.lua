-- Included by scripts that only look. How many permits Redisson's clients have of its expirable semaphore, which keeps them in the sorted set `key`, and of how
-- many the lease has ended; or nil and what was refused.

local function javasIn(key, nowMs)
  local all = redis.pcall('ZCARD', key)
  if all == 0 then return 0, 0 end
  if type(all) ~= 'table' then
    local ended = redis.call('ZCOUNT', key, '-inf', nowMs)
    return all - ended, ended
  end
  -- A lock, or another semaphore, may have that name.
  if string.find(all.err, 'WRONGTYPE', 1, true) then return 0, 0 end
  return nil, all
end
