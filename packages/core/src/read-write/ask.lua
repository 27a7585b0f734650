-- Takes the lock for a tenure as a reader or as the writer, or queues it, or says when to ask again.
-- Run twice it changes nothing more: a holder is told `mine`, a waiter keeps its place.
--
-- KEYS  lock writers readers fresh dead
-- ARGV  tenure side leaseMs freshMs ticket freshTtlMs claimMs trust writersFirst
--   side          r or w
--   freshMs, ticket, freshTtlMs   as for lock/ask
--   claimMs, trust, writersFirst  see grant.lua
--
-- Replies (others = tenures that wait for what this one keeps from them; now = server ms)
--   acquired                       the tenure holds the lock from now on, for leaseMs; nobody waits
--   acquired remaining others      the same; others may wait
--   mine remaining others now      it held it already; its lease is never shortened
--   wait remaining position ticket now foreign, busy remaining foreign left   as of lock/ask; remaining: until the first lease may end; 0 where
--                                the lock is free, or readers have it, and the grant step has not come to all who are before
--   dead                           a late copy: the tenure was cancelled, released, or has become a reader; nothing was done

--#include protocol/question
--#include protocol/args
--#include read-write/holders

local tenure, what = ARGV[1], ARGV[2]
local leaseMs = integer(3, 1)
if what ~= 'r' and what ~= 'w' then error('holdfast: ARGV[2] must be r or w') end

local time = redis.call('TIME')
local nowMs = serverMs(time)

-- The whole uncontended path, and that of a reader who comes to others: no waiters, no tombstone.
if redis.call('EXISTS', writers, readers, KEYS[5]) == 0 then
  local state = redis.pcall('HMGET', lock, 'mode', 'side', 'sweep', tenure)
  local soonest = tonumber(state[3])
  if what == 'r' and sideOf(unpack(state)) == 'r' and soonest > nowMs and not state[4] then
    side, sweepAt = 'r', soonest
    return hold(tenure, what, leaseMs, nowMs) or 'acquired ' .. question
  end
  if not state.err and not state[2] and redis.call('EXISTS', lock) == 0 then
    return hold(tenure, what, leaseMs, nowMs) or 'acquired ' .. question
  end
end

local freshMs = integer(4, 0)
local ticket = integer(5, 0, 9007199254740991)
local freshTtlMs = integer(6, 1)
local claimMs = integer(7, 1)
local trust = ARGV[8] == '1'
local writersFirst = ARGV[9] == '1'

if redis.call('EXISTS', KEYS[5]) == 1 then return { 'dead', question } end

--#include read-write/grant
--#include lock/owner

look(nowMs)
if foreign then
  local _, _, refused = owner('')
  if refused then return refused end
end

local own = side and tonumber(redis.call('HGET', lock, tenure))
if own then
  if side == 'r' and what == 'w' then return { 'dead', question } end
  local untilMs = math.max(own, nowMs + leaseMs)
  -- A full server does not refuse what follows this. And a WAIT behind a write covers the grant, which the releaser wrote.
  redis.call('HDEL', lock, '')
  -- As in raise.lua.
  if redis.call('PTTL', lock) < untilMs - nowMs then redis.call('PEXPIRE', lock, untilMs - nowMs) end
  redis.call('HSET', lock, tenure, untilMs)
  passOn(nil, nil, claimMs, trust, nowMs, writersFirst)
  return { 'mine', untilMs - nowMs, othersOf(side), nowMs, question }
end

local queue = what == 'w' and writers or readers

--#include queue/enqueue

if freshMs > 0 then
  local entry = string.format('%.0f %d', nowMs + freshMs, leaseMs)
  local refused = enqueue(tenure, entry, side and 'last' or tenure, side or entry)
  if refused then return refused end
end
joins = freshMs == 0 and what == 'r'
passOn(freshMs > 0 and tenure or nil, leaseMs, claimMs, trust, nowMs, writersFirst)

local isIn = freshMs > 0 and side and redis.call('HEXISTS', lock, tenure) == 1
if freshMs == 0 and not foreign and (not side or side == 'r' and what == 'r') then
  -- Where something else stands in place of a queue, what it takes could not be given back.
  local writing, reading = redis.call('ZCARD', writers), redis.call('ZCARD', readers)
  if writing == 0 and (side or reading == 0) then
    local refused = hold(tenure, what, leaseMs, nowMs)
    if refused then return refused end
    isIn = true
  end
end
if isIn then return { 'acquired', leaseMs, othersOf(side), question } end

local remainingMs = 0
if foreign then
  remainingMs = redis.call('PTTL', lock)
elseif side and not goesOn then
  remainingMs = math.max(sweepAt - nowMs, 1)
end
local isForeign = foreign and 1 or 0
if freshMs == 0 then return { 'busy', remainingMs, isForeign, unserved(), question } end

-- Who holds the lock learns that somebody waits. Of many readers some: each ask of the first in the queue draws anew.
local position = redis.call('ZRANK', queue, tenure) or 0
if position > 15 then
  --#include queue/stale
end
if side and position == 0 and not (side == 'r' and what == 'r') then
  for _, holder in ipairs(redis.pcall('HRANDFIELD', lock, 67)) do
    if isHolder(holder) then tell(holder, '1 contended ' .. holder) end
  end
end
return { 'wait', remainingMs, position, ticket, nowMs, isForeign, question }
