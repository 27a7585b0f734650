-- Included by scripts that give permits to a tenure. After permits/holders.

-- Returns the reply to the write.
local function record(id, n, untilMs)
  local entry = string.format('%d %.0f', n, untilMs)
  if untilMs == 0 or (sweepAt and sweepAt <= untilMs) then return redis.pcall('HSET', permits, id, entry) end
  sweepAt = untilMs
  return redis.pcall('HSET', permits, id, entry, 'sweep', string.format('%.0f', untilMs))
end

-- leaseMs 0: for ever. Returns nil, or the error reply of a refused write, after which nothing of it stays.
local function take(id, n, leaseMs, nowMs)
  local reply = record(id, n, leaseMs > 0 and nowMs + leaseMs or 0)
  if type(reply) == 'table' then return reply end
  reply = redis.pcall('DECRBY', count, n)
  if type(reply) == 'table' then
    strike(id)
    return reply
  end
  free = reply
  local ttlMs = redis.pcall('PTTL', count)
  if ttlMs == -1 then
    redis.pcall('PERSIST', permits)
  elseif type(ttlMs) == 'number' then
    redis.pcall('PEXPIRE', permits, math.max(ttlMs, 1))
  end
  return nil
end
