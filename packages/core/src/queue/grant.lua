-- The grant step, shared by ask, release, cancel and force. Expects KEYS[1..3] = lock, queue, fresh, `own`, `token` and inherited.lua.
--
-- The lock is given to the first waiter that is still there. A waiter is passed over when it is no longer fresh or,
-- where the reply of PUBLISH can be trusted (not in Cluster), when its inbox has no subscriber; one that is alive all the
-- same asks again and its ticket restores its place. The winner is written as owner with the short claim lease before
-- it is told: the message only says "look", and its first renewal raises the lease. A waiter that wants an even
-- shorter lease gets that: a client that crashes must not keep the lock for longer than it asked.
--
-- The caller has run DEL KEYS[1] before, also when the key was absent: from a script's first write on, no write of it
-- is refused for lack of memory, so a full server can still pass a lock on. And since the old owner is gone by then,
-- nothing here may raise: what is refused ends the step, and a waiter that could not be made the owner keeps its place.
--
-- Messages, space-separated, version first, to channel holdfast_inbox:<client id>. A tenure id is <client id>:<n> or
-- <owner>:<client id>:<n>, so its client id is the part before the last colon.
--   1 grant <tenure> <expMs> <nowMs> <others> <token or -> [turn <sections>] [<reason> <sinceMs>]
--                                                            owner until expMs (server time) unless it renews; the last two as in
--                                                            inherited.lua, when the lock was not given back
--   1 contended <tenure>                                     another tenure waits for the lock that this one holds
--   1 lost <tenure> <reason>                                 the lock was taken away; reason: force-unlocked
--   1 look <tenure>                                          what it waits for has changed: it asks again
-- A later version may add words behind each of them (ADR 20).

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

-- Until when a waiter may be granted, and the lease it wants; nil when that is not known. Behind these two a later version may
-- have written more (ADR 20). That is not read: whatever the waiter asked for, the only owner of the lock has it.
local function freshness(entry)
  if type(entry) ~= 'string' then return nil end
  local untilMs, wantedMs = string.match(entry .. ' ', '^(%d+) (%d+) ')
  return tonumber(untilMs), tonumber(wantedMs)
end

-- A queue that had no other waiter is a new key now: it gets a TTL, or it goes again.
local function putBack(waiter, ticket, ttlMs)
  redis.pcall('ZADD', KEYS[2], ticket, waiter)
  if redis.pcall('PTTL', KEYS[2]) == -1 and type(redis.pcall('PEXPIRE', KEYS[2], ttlMs)) == 'table' then
    redis.pcall('ZREM', KEYS[2], waiter)
  end
end

-- What `passOn` does, but for the note.
local function giveToFirst(self, selfLeaseMs, claimLeaseMs, trusted, nowMs, inherited, turn)
  if not nowMs then
    local time = redis.pcall('TIME')
    if time.err then return nil, time end
    nowMs = math.floor(micros(time) / 1000)
  end
  if inherited then inherited.sinceMs = inherited.sinceMs or nowMs end
  for _ = 1, 64 do
    local popped = redis.pcall('ZPOPMIN', KEYS[2])
    if popped.err then return nil, popped end
    local head = popped[1]
    if not head then return nil end
    if head == self then
      local refused = own(head, selfLeaseMs)
      redis.pcall('HDEL', KEYS[3], head, 'returned')
      if inherited and not refused then leave(inherited) end
      return not refused and head or nil, refused
    end
    local freshUntilMs, wantedMs = freshness(redis.pcall('HGET', KEYS[3], head))
    local isFresh = freshUntilMs and freshUntilMs >= nowMs
    local grantedMs = isFresh and math.min(claimLeaseMs, wantedMs)
    local refused = isFresh and own(head, grantedMs)
    if refused then
      putBack(head, popped[2], freshUntilMs - nowMs + 1)
      return nil, refused
    end
    redis.pcall('HDEL', KEYS[3], head, 'returned')
    if isFresh then
      if inherited then leave(inherited) end
      local untilMs = nowMs + grantedMs
      local message = string.format('1 grant %s %.0f %.0f %d %s', head, untilMs, nowMs, waiting(), token)
      if turn then message = message .. ' turn ' .. turn end
      local receivers = tell(head, inherited and message .. ' ' .. wordsOf(inherited) or message)
      if receivers ~= 0 or not trusted then return head end
      redis.pcall('DEL', KEYS[1])
    end
  end
  return nil
end

-- `self` is the asking tenure, if any: it takes the full lease when its turn comes, and no message. `nowMs` is server time, if
-- the script has asked for it. `inherited`: see inherited.lua; nil when the lock was given back. `turn`: see lock/release.lua; nil when
-- it is not known.
-- Returns the new owner or nil, and the error reply when something that it takes was refused.
local function passOn(self, selfLeaseMs, claimLeaseMs, trusted, nowMs, inherited, turn)
  local granted, refused = giveToFirst(self, selfLeaseMs, claimLeaseMs, trusted, nowMs, inherited, turn)
  -- Each waiter that was passed over took the note away, and those that are left find a lock that is gone.
  if not granted and not inherited and waiting() > 0 then noteReturned('always') end
  return granted, refused
end

-- How many waiters of a lock that is still free a grant step has not come to. None when it was refused: it would be again.
local function unserved(granted, refused)
  return (granted or refused) and 0 or waiting()
end
