-- Included by scripts that give permits to a tenure. After permits/holders.

-- Returns the reply to the write.
local function record(id, n, untilMs)
  local entry = string.format('%d %.0f', n, untilMs)
  if untilMs == 0 or (sweepAt and sweepAt <= untilMs) then return redis.pcall('HSET', permits, id, entry) end
  sweepAt = untilMs
  return redis.pcall('HSET', permits, id, entry, 'sweep', string.format('%.0f', untilMs))
end

-- No lease outlasts the semaphore: once that has gone, anybody may begin it anew, with all its permits. leaseMs 0: for ever. ttlMs -1: it has no end.
local function within(leaseMs, ttlMs)
  if ttlMs < 0 then return leaseMs end
  return math.max(leaseMs > 0 and math.min(leaseMs, ttlMs) or ttlMs, 1)
end

-- leaseMs 0: for ever. Returns the error reply of what was refused, after which nothing of it stays, or nil and the lease that the tenure has got.
local function take(id, n, wantedMs, nowMs)
  local ttlMs = redis.pcall('PTTL', count)
  if type(ttlMs) == 'table' then return ttlMs end
  local leaseMs = within(wantedMs, ttlMs)
  local reply = record(id, n, leaseMs > 0 and nowMs + leaseMs or 0)
  if type(reply) == 'table' then return reply end
  reply = redis.pcall('DECRBY', count, n)
  if type(reply) == 'table' then
    -- Stands for nothing, also where it may not be taken out.
    record(id, 0, 1)
    strike(id)
    return reply
  end
  free = reply
  if ttlMs < 0 then
    redis.pcall('PERSIST', permits)
  else
    redis.pcall('PEXPIRE', permits, math.max(ttlMs, 1))
  end
  return nil, leaseMs
end
