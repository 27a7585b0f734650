-- Included by scripts of the read-write lock: who holds KEYS[1], and as what.
--
-- Expects KEYS[1..4] = lock, writers, readers, fresh. The lock is a hash:
--   mode      always `write`, so that Java's read and write locks on the name wait
--   side      `r`: readers hold it; `w`: one writer does. A lock without it has a foreign owner: a lock of another kind, or Java's
--   sweep     server ms before which no lease in the hash ends: until then nobody has to look
--   <tenure>  server ms at which the lease of this holder ends. Every holder has a lease of its own: when a reader crashes, the rest of
--             its lease is waited for, and nobody else's
-- The TTL of the hash is that of its longest lease.

local lock, writers, readers, fresh = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local side, sweepAt, before
local foreign = false

local function isHolder(field)
  return string.find(field, ':', 1, true)
end

local function serverMs(time)
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Takes out whose lease has ended.
local function sweep(nowMs)
  local flat = redis.call('HGETALL', lock)
  local soonest
  for i = 1, #flat, 2 do
    if isHolder(flat[i]) then
      local untilMs = tonumber(flat[i + 1]) or 0
      if untilMs <= nowMs then
        redis.call('HDEL', lock, flat[i])
      else
        soonest = math.min(soonest or untilMs, untilMs)
      end
    end
  end
  if not soonest then
    redis.call('DEL', lock)
    side = nil
    return
  end
  sweepAt = soonest
  -- Refused by a full server when no lease had ended: then the next script looks again.
  redis.pcall('HSET', lock, 'sweep', soonest)
end

-- The side of a read-write lock, by the fields of what stands there; nil for all else: an application's hash may have a `side` too.
local function sideOf(mode, what, soonest)
  return mode == 'write' and (what == 'r' or what == 'w') and tonumber(soonest) and what or nil
end

-- Sets side, sweepAt and foreign; `before` is the side that was there before leases that have ended were swept.
local function look(nowMs)
  local state = redis.pcall('HMGET', lock, 'mode', 'side', 'sweep')
  if state.err then
    if not string.find(state.err, 'WRONGTYPE', 1, true) then state = redis.call('HMGET', lock, 'mode', 'side', 'sweep') end
    foreign = true
    return
  end
  side = sideOf(unpack(state))
  if not side then
    foreign = redis.call('EXISTS', lock) == 1
    return
  end
  before = side
  sweepAt = tonumber(state[3])
  if sweepAt <= nowMs then sweep(nowMs) end
end

-- Makes a tenure a holder. Nobody else may hold the lock as `what` does not allow. Returns nil, or the error reply of a refused write,
-- after which nothing of it stays (by HDEL and DEL, for the reason in lock/own.lua).
local function hold(id, what, leaseMs, nowMs)
  local untilMs = nowMs + leaseMs
  local isNew = side ~= what
  local reply
  if isNew then
    reply = redis.pcall('HSET', lock, 'mode', 'write', 'side', what, 'sweep', untilMs, id, untilMs)
  elseif untilMs < sweepAt then
    reply = redis.pcall('HSET', lock, 'sweep', untilMs, id, untilMs)
  else
    reply = redis.pcall('HSET', lock, id, untilMs)
  end
  if type(reply) == 'table' then return reply end
  -- Who may not see how long the others have it leaves that alone: it would be cut short.
  reply = isNew and -1 or redis.pcall('PTTL', lock)
  if type(reply) == 'number' and reply < leaseMs then reply = redis.pcall('PEXPIRE', lock, leaseMs) end
  if type(reply) == 'table' then
    redis.pcall('HDEL', lock, id, unpack(isNew and { 'mode', 'side', 'sweep' } or {}))
    if isNew then redis.pcall('DEL', lock) end
    return reply
  end
  sweepAt = isNew and untilMs or math.min(sweepAt, untilMs)
  side = what
  return nil
end
