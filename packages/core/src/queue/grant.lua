-- The grant step, shared by ask, release, cancel and force. Expects KEYS[1..3] = lock, queue, fresh, `own`, `token`,
-- queue/waiting.lua and queue/inbox.lua.
--
-- The lock is given to the first waiter that is still there. A waiter is passed over when it is no longer fresh or,
-- where that can be known (not in Cluster), when its inbox has no subscriber; one that is alive all the
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

--#include queue/gone

-- For those who find the lock gone, see inherited.lua. Only beside entries, which have a TTL.
local function noteReturned(note)
  if redis.pcall('EXISTS', KEYS[3]) == 1 then redis.pcall('HSET', KEYS[3], 'returned', note) end
end

-- What `passOn` does, but for the note.
local function giveToFirst(self, selfLeaseMs, claimLeaseMs, trusted, nowMs, inherited, turn)
  if not nowMs then
    local time = redis.pcall('TIME')
    if time.err then return nil, time end
    nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  if inherited then inherited.since = inherited.since or string.format('%.0f', nowMs) end
  for _ = 1, 64 do
    local popped = redis.pcall('ZPOPMIN', KEYS[2])
    if popped.err then return nil, popped end
    local head = popped[1]
    if not head then return nil end
    local grantedMs
    local freshUntilMs
    if head == self then
      grantedMs = selfLeaseMs
    else
      -- Behind the two numbers a later version may have written more (ADR 20). That is not read: whatever the waiter asked for, the only
      -- owner of the lock has it.
      local entry = redis.pcall('HGET', KEYS[3], head)
      local untilMs, wantedMs
      if type(entry) == 'string' then
        untilMs, wantedMs = string.match(entry .. ' ', '^(%d+) (%d+) ')
      end
      freshUntilMs = tonumber(untilMs)
      if freshUntilMs and freshUntilMs >= nowMs and not isGone(head, trusted) then
        grantedMs = math.min(claimLeaseMs, wantedMs)
      end
    end
    local refused = grantedMs and own(head, grantedMs)
    if refused and head ~= self then
      redis.pcall('ZADD', KEYS[2], popped[2], head)
      -- A queue that had no other waiter is a new key now: it gets a TTL, no shorter than that of the entries because seek.lua looks only at
      -- theirs, or it goes again.
      if redis.pcall('PTTL', KEYS[2]) == -1 then
        local ttlMs = math.max(freshUntilMs - nowMs + 1, tonumber(redis.pcall('PTTL', KEYS[3])) or 0)
        local unlasting = redis.pcall('PEXPIRE', KEYS[2], ttlMs)
        if type(unlasting) == 'table' then redis.pcall('ZREM', KEYS[2], head) end
      end
      return nil, refused
    end
    redis.pcall('HDEL', KEYS[3], head, 'returned')
    if refused then return nil, refused end
    if grantedMs then
      if inherited then redis.pcall('HSET', KEYS[1], inherited.reason, inherited.since) end
      if head == self then return head end
      local message = string.format('1 grant %s %.0f %.0f %d %s', head, nowMs + grantedMs, nowMs, waiting(), token)
      if turn then message = message .. ' turn ' .. turn end
      if inherited then message = message .. ' ' .. inherited.reason .. ' ' .. inherited.since end
      tell(head, message)
      return head
    end
  end
  return nil
end

-- `self` is the asking tenure, if any: it takes the full lease when its turn comes, and no message. `nowMs` is server time, if
-- the script has asked for it. `inherited`: see inherited.lua; nil when the lock was given back. `turn`: see lock/release.lua; nil when
-- it is not known.
-- Returns the new owner or nil, the error reply when something that it takes was refused, and how many waiters of a lock that is still
-- free it has not come to: none when it was refused, for it would be again.
local function passOn(self, selfLeaseMs, claimLeaseMs, trusted, nowMs, inherited, turn)
  local granted, refused = giveToFirst(self, selfLeaseMs, claimLeaseMs, trusted, nowMs, inherited, turn)
  if granted then return granted, nil, 0 end
  local left = waiting()
  -- Each waiter that was passed over took the note away, and those that are left find a lock that is gone.
  if not inherited and left > 0 then noteReturned('always') end
  return nil, refused, refused and 0 or left
end
