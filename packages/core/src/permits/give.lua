-- Included by scripts that take permits from a tenure. After permits/holders.

-- Without a counter there is no semaphore to give anything back to.
local function put(n)
  if free then free = redis.call('INCRBY', count, n) end
end

-- Gives back what a record has over `left`.
local function shrink(id, n, untilMs, left)
  -- A full server does not refuse what follows this.
  redis.call('HDEL', permits, '')
  put(n - left)
  if left > 0 then
    redis.call('HSET', permits, id, string.format('%d %.0f', left, untilMs))
  else
    strike(id)
  end
end
