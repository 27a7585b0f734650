-- Included by release and cancel: takes tenure ARGV[1] out of both queues and out of the lock and, when barMs > 0, bars its late asks.
-- After read-write/holders. Returns whether it held the lock. The order of the writes is that of queue/retire.lua.

local function leave(barMs)
  redis.call('ZREM', writers, ARGV[1])
  redis.call('ZREM', readers, ARGV[1])
  redis.call('HDEL', fresh, ARGV[1])
  if barMs > 0 then redis.call('SET', KEYS[5], 1, 'PX', barMs) end
  local held = side ~= nil and redis.call('HDEL', lock, ARGV[1]) == 1
  if held and (side == 'w' or redis.call('HLEN', lock) <= 3) then
    redis.call('DEL', lock)
    side = nil
  end
  return held
end
