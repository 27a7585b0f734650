-- Included by scripts that take permits from a tenure. After permits/holders.

-- Without a counter there is no semaphore to give anything back to.
local function put(n)
  if free then free = redis.call('INCRBY', count, n) end
end

-- Gives back what a record has over `left`.
local function shrink(id, n, untilMs, left)
  -- A full server does not refuse what follows this.
  redis.call('HDEL', permits, '')
  if left > 0 then
    -- Who may not do the one has not done the other: permits that were given back and stay on record would be given back again.
    if free then redis.call('INCRBY', count, 0) end
    redis.call('HSET', permits, id, string.format('%d %.0f', left, untilMs))
    put(n - left)
  else
    put(n)
    strike(id)
  end
end
