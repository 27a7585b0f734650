-- Included by scripts that may make a semaphore. After permits/sweep and queue/inbox.

-- Records of an earlier semaphore of that name count no more, and their holders are told to look. ttlMs 0: it lasts until it is deleted.
local function begin(n, ttlMs)
  -- First: who may not take the old records away begins none beside them, or what they stand for would come back to it.
  local holders = redis.call('HKEYS', permits)
  if #holders > 0 then redis.call('DEL', permits) end
  if (tonumber(redis.pcall('ZCARD', timeouts)) or 0) > 0 then redis.call('DEL', timeouts) end
  if ttlMs > 0 then
    redis.call('SET', count, n, 'PX', ttlMs)
  else
    redis.call('SET', count, n)
  end
  free = n
  untold = true
  for _, holder in ipairs(holders) do
    if isHolder(holder) then tell(holder, '1 look ' .. holder) end
  end
end
