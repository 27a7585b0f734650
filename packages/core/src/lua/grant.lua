-- The grant step, shared by ask, release, cancel and force. Expects KEYS[1..3] = lock, queue, fresh and `own`.
--
-- The lock is given to the first waiter that is still there. A waiter is passed over when it is no longer fresh or,
-- where the reply of PUBLISH can be trusted (not in Cluster), when nobody listens to its inbox; one that is alive all the
-- same asks again and its ticket restores its place. The winner is written as owner with the short claim lease before
-- it is told: the message only says "look", and its first renewal raises the lease. Who wants an even shorter lease gets
-- that: whoever crashes must not keep the lock for longer than it asked.
--
-- The caller has run DEL KEYS[1] before, also when the key was absent: from a script's first write on, no write of it
-- is refused for lack of memory, so a full server can still pass a lock on. And since the old owner is gone by then,
-- nothing here may raise: what is refused counts as "nobody waits" (the waiters ask again by themselves).
--
-- Messages, space-separated, version first, to channel holdfast_inbox:<client id>. A tenure id is <client id>:<n> or
-- <owner>:<client id>:<n>, so its client id is the part before the last colon.
--   1 grant <tenure> <expMs> <nowMs> <others> <token or ->   owner until expMs (server time) unless it renews
--   1 contended <tenure>                                     somebody waits for the lock that this tenure holds
--   1 lost <tenure> <reason>                                 the lock was taken away; reason: force-unlocked

local function micros(time)
  return time[1] * 1000000 + time[2]
end

local function waiting()
  return tonumber(redis.pcall('ZCARD', KEYS[2])) or 0
end

-- Returns the number of receivers, or nil when PUBLISH was refused.
local function tell(addressee, message)
  local clientId = string.match(addressee, '([^:]+):[^:]+$')
  if not clientId then return 0 end
  local receivers = redis.pcall('PUBLISH', 'holdfast_inbox:' .. clientId, message)
  return tonumber(receivers)
end

-- Until when a waiter may be granted, and the lease it wants; nil when that is not known.
local function freshness(entry)
  if type(entry) ~= 'string' then return nil end
  local untilMs, wantedMs = string.match(entry, '^(%d+) (%d+)$')
  return tonumber(untilMs), tonumber(wantedMs)
end

-- `self` is the asking tenure, if any: it takes the full lease when its turn comes, and no message.
-- Returns the new owner or nil, and the error reply when something that it takes was refused.
local function passOn(self, selfLeaseMs, claimLeaseMs, trusted)
  local nowMs
  for _ = 1, 64 do
    local popped = redis.pcall('ZPOPMIN', KEYS[2])
    if popped.err then return nil, popped end
    local head = popped[1]
    if not head then return nil end
    if not nowMs then
      local time = redis.pcall('TIME')
      if time.err then return nil, time end
      nowMs = math.floor(micros(time) / 1000)
    end
    local freshUntilMs, wantedMs = freshness(redis.pcall('HGET', KEYS[3], head))
    redis.pcall('HDEL', KEYS[3], head)
    if head == self then
      local refused = own(head, selfLeaseMs)
      return not refused and head or nil, refused
    end
    if freshUntilMs and freshUntilMs >= nowMs then
      local grantedMs = math.min(claimLeaseMs, wantedMs)
      local refused = own(head, grantedMs)
      if refused then return nil, refused end
      local untilMs = nowMs + grantedMs
      local receivers = tell(head, string.format('1 grant %s %.0f %.0f %d -', head, untilMs, nowMs, waiting()))
      if receivers ~= 0 or not trusted then return head end
      redis.pcall('DEL', KEYS[1])
    end
  end
  return nil
end
