-- Included by scripts that look at all holders. After permits/give. The last key but one is
--   timeouts  sorted set: who has a permit of Redisson's expirable semaphore, by the ms at which its lease ends

local timeouts = KEYS[#KEYS - 1]
-- Numbers are exact up to here. A permit without a lease ends later in Redisson's set.
local NEVER_AT = 9007199254740992
-- What is over that, whoever waits comes back for at once.
local MOST_OF_JAVA = 1000
-- Redisson's clients, which wait until they are told, do not know of all that is free.
local untold = false
-- When the first lease of Redisson's may end.
local javasEndAt

local function isHolder(field)
  return string.find(field, ':', 1, true)
end

-- A client of Redisson's whose lease has ended gives nothing back: whichever of its scripts runs next does. The set may be another type's, and is left alone.
local function sweepJavas(nowMs)
  if not free or redis.call('EXISTS', timeouts) == 0 then return end
  for _ = 1, MOST_OF_JAVA do
    local id, endsAt = unpack(redis.pcall('ZRANGE', timeouts, 0, 0, 'WITHSCORES'))
    javasEndAt = tonumber(endsAt)
    if not javasEndAt or javasEndAt > nowMs then return end
    -- The same of both, or neither: see shrink.
    redis.call('ZREM', timeouts, '')
    put(1)
    redis.call('ZREM', timeouts, id)
    untold = true
  end
end

-- Gives back what those have whose lease has ended.
local function sweep(nowMs)
  sweepJavas(nowMs)
  sweepAt = tonumber(redis.call('HGET', permits, 'sweep'))
  if not sweepAt or nowMs < sweepAt then return end
  local flat = redis.call('HGETALL', permits)
  local soonest
  for i = 1, #flat, 2 do
    local n, untilMs = parse(flat[i + 1])
    if isHolder(flat[i]) and untilMs ~= 0 then
      if untilMs and untilMs > nowMs then
        soonest = math.min(soonest or untilMs, untilMs)
      else
        shrink(flat[i], n or 0, 0, 0)
        untold = true
      end
    end
  end
  sweepAt = soonest
  if soonest then
    -- Refused by a full server when no lease had ended: then the next script looks again.
    redis.pcall('HSET', permits, 'sweep', string.format('%.0f', soonest))
  else
    redis.call('HDEL', permits, 'sweep')
  end
end
