-- Included by scripts that look at all holders. After permits/give.

local swept = false

local function isHolder(field)
  return string.find(field, ':', 1, true)
end

-- Gives back what those have whose lease has ended.
local function sweep(nowMs)
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
        swept = true
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
