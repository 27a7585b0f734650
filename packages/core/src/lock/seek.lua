-- What ask does, and for each of its tenures asks; keys, arguments and replies are those of ask.

--#include protocol/question
--#include protocol/args
--#include lock/own

local tenure = ARGV[1]
local leaseMs = integer(2, 1)

-- The whole uncontended path: free, no waiters, no tombstone. What it does not need comes after it, and it hands on the
-- texts it was given, because every function, table and number turned into text costs Redis as much as a small command. For the
-- same reason what only a free lock needs comes last.
local there = redis.call('EXISTS', KEYS[1], KEYS[4], KEYS[2])
if there == 0 then
  --#include lock/acquire
end

local freshMs = integer(3, 0)
local ticket = integer(4, 0, 9007199254740991)
local freshTtlMs = integer(5, 1)
local claimMs = integer(6, 1)
local trust = ARGV[7] == '1'

--#include lock/owner

local holder, fields, refused = owner(tenure)
local isFree = not refused and not holder
-- What else was counted is a tombstone, a queue, or both.
local besides = isFree and there or there - 1
if besides == 2 or besides == 1 and redis.call('EXISTS', KEYS[4]) == 1 then return { 'dead', question } end
local isQueueThere = besides == 1
if refused then return refused end

local remainingMs = redis.call('PTTL', KEYS[1])
-- A holdfast tenure, a foreign owner, or nobody any more.
local owned = holder and (fields.rest and 2 or fields.seq and 0 or 1) or 0

-- An attempt that does not wait, and comes often where a lock keeps out whoever is late. One text costs Redis less than a list.
if not isFree and freshMs == 0 and not fields[tenure] then
  return string.format('busy %d %d 0 %s', remainingMs, owned, question)
end

--#include queue/inherited
--#include queue/waiting
--#include queue/inbox

local time = redis.call('TIME')
local nowMicros = time[1] * 1000000 + time[2]
local nowMs = math.floor(nowMicros / 1000)

if fields[tenure] then
  -- A write also when the lease is long enough: a WAIT behind it on this connection then covers the grant, which the
  -- connection of the releaser wrote.
  remainingMs = math.max(remainingMs, leaseMs)
  redis.call('PEXPIRE', KEYS[1], remainingMs)
  local inherited = wordsOf(inheritedOf(fields.expired, fields.forced))
  --#include lock/mine
end

-- Returns the position in the queue, or nil and the error reply of a refused step, of which nothing stays.
-- A new entry is written first, so that a full server refuses it cleanly. A waiter that is queued already is not refused: from a
-- script's first write on, which for it is one that needs no memory, no write is.
-- TTLs are raised to twice what is needed, so that few asks have to; they are never lowered, because clients with longer
-- periods have places there too. The queue lives for as long as the entries beside it, or longer.
local function enqueue()
  local ttlMs = isQueueThere and redis.call('PTTL', KEYS[3]) or -2
  local isRaised = ttlMs <= freshTtlMs
  if isRaised then ttlMs = math.max(2 * freshTtlMs, isQueueThere and redis.call('PTTL', KEYS[2]) or 0) end
  local isNew = ticket == 0
  local known = not isNew and isQueueThere and redis.call('ZSCORE', KEYS[2], tenure)
  if not known then
    if isNew then ticket = nowMicros end
    local added = redis.pcall('ZADD', KEYS[2], 'NX', string.format('%.0f', ticket), tenure)
    if added ~= 1 then
      -- Refused, or a copy of its first ask, which is not to be refused.
      known = isQueueThere and redis.call('ZSCORE', KEYS[2], tenure)
      if not known then return nil, added end
    end
  end
  local wrong
  local function step(...)
    local reply = not wrong and redis.pcall(...)
    if type(reply) == 'table' and reply.err then wrong = reply end
    return reply
  end
  if isRaised then step('PEXPIRE', KEYS[2], ttlMs) end
  if known then
    ticket = tonumber(known)
    isNew = false
    step('HDEL', KEYS[3], '')
  end
  -- Of the waiters of another queue, entries may have stayed behind for a moment.
  if not isQueueThere then step('HDEL', KEYS[3], 'returned') end
  step('HSET', KEYS[3], tenure, string.format('%.0f %d', nowMs + freshMs, leaseMs))
  if owned > 0 then
    -- What those who find the lock gone later are to know of its present owner.
    local isLasting = owned == 2 or remainingMs == -1
    step('HSET', KEYS[3], 'returned', isLasting and 'always' or string.format('%.0f', nowMs + remainingMs))
  end
  if isRaised then step('PEXPIRE', KEYS[3], ttlMs) end
  local position = isQueueThere and step('ZRANK', KEYS[2], tenure) or 0
  local behind = isNew and isQueueThere and step('ZCARD', KEYS[2])
  if not wrong and behind and position < behind - 1 then
    -- The clock has gone back. A newcomer stands behind all others all the same.
    local last = step('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')
    if not wrong then
      ticket = last[2] + 1
      position = behind - 1
      step('ZADD', KEYS[2], string.format('%.0f', ticket), tenure)
    end
  end
  if wrong then
    redis.pcall('HDEL', KEYS[3], tenure, 'returned')
    redis.pcall('ZREM', KEYS[2], tenure)
    return nil, wrong
  end
  return position
end

if not isFree then
  local position
  position, refused = enqueue()
  if refused then return refused end
  if position > 15 then
    local queue, fresh = KEYS[2], KEYS[3]
    --#include queue/stale
  end
  if position == 0 and owned == 0 then tell(holder, '1 contended ' .. holder) end
  return { 'wait', remainingMs, position, ticket, nowMs, owned, question }
end

--#include queue/grant

local inherited = isQueueThere and foundGone(nowMs) or nil
-- Before enqueue: with a write behind it, the script can serve the queue of a full server.
redis.call('DEL', KEYS[1])
if freshMs > 0 then
  local position
  position, refused = enqueue()
  if refused then return refused end
end

-- Others came first: the head is served, never the newcomer.
local granted, left
granted, refused, left = passOn(tenure, leaseMs, claimMs, trust, nowMs, inherited)
if not granted and not refused and left == 0 then
  granted = tenure
  refused = own(tenure, leaseMs)
  if inherited and not refused then redis.pcall('HSET', KEYS[1], inherited.reason, inherited.since) end
end
if refused then
  -- A step was refused: nothing of ours stays.
  redis.pcall('HDEL', KEYS[3], tenure, 'returned')
  redis.pcall('ZREM', KEYS[2], tenure)
  return refused
end
if granted == tenure then return { 'acquired', 1, 1, leaseMs, waiting(), wordsOf(inherited), token, question } end
remainingMs = granted and claimMs or 0
if freshMs == 0 then return { 'busy', remainingMs, owned, left, question } end
return { 'wait', remainingMs, redis.call('ZRANK', KEYS[2], tenure), ticket, nowMs, owned, question }
