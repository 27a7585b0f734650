-- Included by asks of what several tenures can have at a time; lock/seek, where every command counts, has its own. Puts `tenure` into `queue`: at the
-- place of `ticket`, or at the end. `time` is the server's.

local function nextTicket()
  local last = tonumber(redis.call('ZRANGE', queue, -1, -1, 'WITHSCORES')[2])
  local micros = time[1] * 1000000 + time[2]
  return last and math.max(micros, last + 1) or micros
end

-- A new entry is written first, TTLs only grow, and what is refused leaves nothing. Takes what is written into `fresh`; returns the error reply of a refused step.
local function enqueue(...)
  local refused
  local function step(...)
    local reply = not refused and redis.pcall(...)
    if type(reply) == 'table' then refused = reply end
    return reply
  end
  local known = tonumber(redis.call('ZSCORE', queue, tenure))
  if known then
    ticket = known
    step('HDEL', fresh, '')
  else
    if ticket == 0 then ticket = nextTicket() end
    redis.call('ZADD', queue, string.format('%.0f', ticket), tenure)
  end
  if redis.call('PTTL', queue) <= freshTtlMs then step('PEXPIRE', queue, 2 * freshTtlMs) end
  step('HSET', fresh, ...)
  local freshTtl = step('PTTL', fresh)
  if not refused and freshTtl <= freshTtlMs then step('PEXPIRE', fresh, 2 * freshTtlMs) end
  if refused then
    redis.pcall('HDEL', fresh, tenure)
    redis.pcall('ZREM', queue, tenure)
  end
  return refused
end
