-- Takes permits for a tenure, all that it wants at once, or queues it, or says when to ask again.
-- Run twice it changes nothing more: a holder is told `mine`, a waiter keeps its place.
--
-- KEYS  count queue fresh dead timeouts permits
-- ARGV  tenure wanted leaseMs freshMs ticket freshTtlMs claimMs trust initial releaseChannel
--   leaseMs         or `never`: the permits are kept until they are given back
--   freshMs, ticket, freshTtlMs   as for lock/ask
--   claimMs, trust  see grant.lua
--   initial         how many permits a semaphore has that there is not yet; 0: there must be one
--   releaseChannel  see announce.lua
--
-- Replies (others = tenures that wait; now = server ms; remaining -1: never ends)
--   acquired                       the tenure has the permits from now on, for leaseMs; nobody waits
--   acquired remaining others      the same; others may wait, and the lease may be shorter: it ends with the semaphore
--   mine remaining others now      it had them already; its lease is not shortened, but ends with the semaphore
--   wait remaining position ticket now, busy remaining left   as of lock/ask; remaining: until the first lease may end, one of Redisson's too
--   dead                           a late copy: the tenure was cancelled or has given back; nothing was done
-- Errors: NOTASEMAPHORE, NOTINITIALIZED

--#include protocol/question
--#include protocol/args
--#include permits/holders
--#include permits/take

local tenure = ARGV[1]
local wanted = integer(2, 1)
local leaseMs = ARGV[3] == 'never' and 0 or integer(3, 1)

local time = redis.call('TIME')
local nowMs = msOf(time)
local notASemaphore = look()
if notASemaphore then return notASemaphore end

-- The whole uncontended path: no waiters, no tombstone, and enough is free. Whether leases have ended does not matter then.
if free and free >= wanted and redis.call('EXISTS', queue, KEYS[4]) == 0 then
  local state = redis.call('HMGET', permits, tenure, 'sweep')
  if not state[1] then
    sweepAt = tonumber(state[2])
    local refused, gotMs = take(tenure, wanted, leaseMs, nowMs)
    if refused then return refused end
    return gotMs == leaseMs and 'acquired ' .. question or { 'acquired', gotMs, 0, question }
  end
end

local freshMs = integer(4, 0)
local ticket = integer(5, 0, 9007199254740991)
local freshTtlMs = integer(6, 1)
local claimMs = integer(7, 1)
local trust = ARGV[8] == '1'
local initial = integer(9, 0)

if redis.call('EXISTS', KEYS[4]) == 1 then return { 'dead', question } end

--#include queue/inbox
--#include permits/give
--#include permits/sweep
--#include permits/begin
--#include permits/grant
--#include permits/announce

if not free and initial > 0 then begin(initial, 0) end
if not free then return { err = 'NOTINITIALIZED there is no such semaphore: set its permits first' } end
sweep(nowMs)

local function remainingOf(untilMs)
  return untilMs > 0 and untilMs - nowMs or -1
end

local n, untilMs = parse(redis.call('HGET', permits, tenure))
if n then
  if untilMs > 0 then untilMs = leaseMs > 0 and math.max(untilMs, nowMs + leaseMs) or 0 end
  local lastsMs = within(untilMs > 0 and untilMs - nowMs or 0, redis.call('PTTL', count))
  untilMs = lastsMs > 0 and nowMs + lastsMs or 0
  -- A full server does not refuse what follows this. And a WAIT behind a write covers the grant, which the releaser wrote.
  redis.call('HDEL', permits, '')
  local reply = record(tenure, n, untilMs)
  if type(reply) == 'table' then return reply end
  passOn(nil, claimMs, trust, nowMs)
  if untold then announce(ARGV[10], trust) end
  return { 'mine', remainingOf(untilMs), waiting(), nowMs, question }
end

--#include queue/enqueue

if freshMs > 0 then
  local refused = enqueue(tenure, string.format('%.0f %d %d', nowMs + freshMs, leaseMs, wanted))
  if refused then return refused end
end
local isIn = passOn(freshMs > 0 and tenure or nil, claimMs, trust, nowMs)
-- Where something else stands in place of the queue, what it takes could not be given back.
if freshMs == 0 and free >= wanted and redis.call('ZCARD', queue) == 0 then
  local refused = take(tenure, wanted, leaseMs, nowMs)
  if refused then return refused end
  isIn = true
end
if untold then announce(ARGV[10], trust) end
if isIn then
  local _, endsAt = parse(redis.call('HGET', permits, tenure))
  return { 'acquired', remainingOf(endsAt), waiting(), question }
end

local endsAt = math.min(sweepAt or NEVER_AT, javasEndAt or NEVER_AT)
local remainingMs = endsAt < NEVER_AT and math.max(endsAt - nowMs, 1) or -1
if limited then remainingMs = 0 end
if freshMs == 0 then return { 'busy', remainingMs, unserved(), question } end
local position = redis.call('ZRANK', queue, tenure) or 0
if position > 15 then
  --#include queue/stale
end
return { 'wait', remainingMs, position, ticket, nowMs, question }
