-- Included by scripts that look for it: what a waiter is told of a lock that its last holder did not give back. Expects KEYS[3] = fresh.
--
--   expired   the lease ran out, or the key was deleted by somebody else than its owner
--   forced    the lock was taken from its holder
--
-- It is told in the message or the reply that gives the lock, and stands in the lock besides, as a field named by the reason whose value is
-- since when (server ms): a new owner that missed the message, or never ran, must not cost its successor the news.
--
-- A lock that is gone although tenures wait for it was not given back by holdfast: its releases serve the queue. Where that is not so is
-- noted for those who find it so, in the field `returned` of the fresh entries (a tenure id has a colon, so it is none):
--   always    the lock rests after its release (see rest.lua), or the grant step after one met its limit
--   <ms>      a foreign owner, which serves no queue, had a lease until then: gone before, it was given back
-- It is written by seek.lua, rest.lua and grant.lua. Whoever is granted the lock removes it, and a queue without waiters has none.

local function wordsOf(inherited)
  return inherited and inherited.reason .. ' ' .. inherited.since or ''
end

-- What stands in a lock, by the values of its two fields; nil when it was given back.
local function inheritedOf(expiredSince, forcedSince)
  if expiredSince then return { reason = 'expired', since = expiredSince } end
  return forcedSince and { reason = 'forced', since = forcedSince } or nil
end

-- Of a lock that is absent although tenures wait.
local function foundGone(nowMs)
  local note = redis.pcall('HGET', KEYS[3], 'returned')
  if note == 'always' or type(note) == 'string' and nowMs < (tonumber(note) or 0) then return nil end
  return { reason = 'expired', since = string.format('%.0f', nowMs) }
end
