-- The grant step of the semaphore, shared by all scripts that may have made room. After permits/take, permits/give and queue/inbox.
--
-- Permits go to the first in the queue while it gets as many as it wants, and never past it: one that wants many is not overtaken by those that
-- want few. As in queue/grant.lua: who is granted permits has its record, with the claim lease, before it is told; who is not fresh, or whose
-- inbox has no subscriber where that is known, is passed over and comes back by its ticket; nothing in here raises. Of one that must wait for more
-- that is asked too: a dead one must not keep out those behind it.

--#include queue/gone

local MOST_LOOKED_AT = 64
local limited = false

local function waiting()
  return tonumber(redis.pcall('ZCARD', queue)) or 0
end

-- Until when a waiter may be granted permits, the lease it wants (0: for ever), and how many. What a later version writes behind is not read.
local function freshness(id)
  local entry = redis.pcall('HGET', fresh, id)
  if type(entry) ~= 'string' then return nil end
  local untilMs, wantedMs, n = string.match(entry .. ' ', '^(%d+) (%d+) (%d+) ')
  return tonumber(untilMs), tonumber(wantedMs), tonumber(n)
end

-- To another tenure than the one that asks. Returns the error reply of what was refused.
local function grant(id, n, wantedMs, claimMs, nowMs)
  local refused, gotMs = take(id, n, wantedMs > 0 and math.min(wantedMs, claimMs) or claimMs, nowMs)
  if refused then return refused end
  tell(id, string.format('1 grant %s %.0f %.0f %d -', id, nowMs + gotMs, nowMs, waiting()))
end

-- `self` is the asking tenure, if any: it gets its permits with the whole lease it wants, and no message. Returns whether it has got them.
local function passOn(self, claimMs, trusted, nowMs)
  local isIn = false
  for _ = 1, MOST_LOOKED_AT do
    if not free or free < 1 then return isIn end
    local head = redis.pcall('ZRANGE', queue, 0, 0)[1]
    if not head then return isIn end
    local untilMs, wantedMs, n = freshness(head)
    local isHere = n and untilMs >= nowMs and (head == self or not isGone(head, trusted))
    if isHere and n > free then return isIn end
    -- Who stays in the queue would be given permits again, in place of those that it has.
    if redis.pcall('ZREM', queue, head) ~= 1 then return isIn end
    redis.pcall('HDEL', fresh, head)
    local refused
    if isHere and head == self then
      refused = take(head, n, wantedMs, nowMs)
      isIn = not refused
    elseif isHere then
      refused = grant(head, n, wantedMs, claimMs, nowMs)
    else
      -- Of what was kept for it.
      untold = true
    end
    if refused then return isIn end
  end
  limited = true
  return isIn
end

-- How many who wait a grant step has not come to, although there may be permits for them.
local function unserved()
  return limited and waiting() or 0
end
