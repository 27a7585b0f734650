-- What ask does, and for each of its tenures asks; keys, arguments and replies are those of ask.

--#include protocol/question
--#include protocol/args
--#include lock/own

local tenure = ARGV[1]
local leaseMs = integer(2, 1)

-- The whole uncontended path: free, no waiters, no tombstone. What it does not need comes after it, and it hands on the
-- texts it was given, because every function, table and number turned into text costs Redis as much as a small command.
if redis.call('EXISTS', KEYS[1], KEYS[4], KEYS[2]) == 0 then
  --#include lock/acquire
end

local freshMs = integer(3, 0)
local ticket = integer(4, 0, 9007199254740991)
local freshTtlMs = integer(5, 1)
local claimMs = integer(6, 1)
local trust = ARGV[7] == '1'

-- EXISTS counts a key as often as it is named, so that the sum tells which of the three are there.
local there = redis.call('EXISTS', KEYS[4], KEYS[2], KEYS[2], KEYS[3], KEYS[3], KEYS[3], KEYS[3])
if there % 2 == 1 then return { 'dead', question } end
local isQueueThere = there % 4 >= 2
local isFreshThere = there >= 4

--#include queue/inherited
--#include queue/grant
--#include lock/owner

local holder, fields, refused = owner(tenure)
if refused then return refused end
local remainingMs = redis.call('PTTL', KEYS[1])
local nowMicros = micros(redis.call('TIME'))
local nowMs = math.floor(nowMicros / 1000)

if fields[tenure] then
  -- A write also when the lease is long enough: a WAIT behind it on this connection then covers the grant, which the
  -- connection of the releaser wrote.
  remainingMs = math.max(remainingMs, leaseMs)
  redis.call('PEXPIRE', KEYS[1], remainingMs)
  local inherited = wordsOf(inheritedOf(fields.expired, fields.forced))
  --#include lock/mine
end

-- A holdfast tenure, a foreign owner, or nobody any more.
local owned = holder and (fields.rest and 2 or fields.seq and 0 or 1) or 0

-- What those who find the lock gone later are to know of its present owner.
local function noteOwner()
  if owned == 2 or owned == 1 and remainingMs == -1 then return 'always' end
  return owned == 1 and string.format('%.0f', nowMs + remainingMs) or nil
end

-- Behind all others, also when the clock has gone back.
local function nextTicket()
  local last = isQueueThere and tonumber(redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')[2])
  return last and math.max(nowMicros, last + 1) or nowMicros
end

-- A step was refused: nothing of ours stays.
local function withdraw()
  redis.pcall('HDEL', KEYS[3], tenure, 'returned')
  redis.pcall('ZREM', KEYS[2], tenure)
end

-- Returns the position in the queue, or nil and the error reply of a refused step.
-- A new entry is written first, so that a full server refuses it cleanly. A waiter that is queued already is not refused: from
-- a script's first write on, which for it is one that needs no memory, no write is.
-- TTLs are raised to twice what is needed, so that few asks have to; they are never lowered, because clients with longer
-- periods have places there too.
local function enqueue()
  local ttlMs = isQueueThere and redis.call('PTTL', KEYS[2]) or -2
  local isRaised = ttlMs <= freshTtlMs
  if isRaised then ttlMs = 2 * freshTtlMs end
  local known = isQueueThere and tonumber(redis.call('ZSCORE', KEYS[2], tenure))
  if known then
    ticket = known
  else
    if ticket == 0 then ticket = nextTicket() end
    redis.call('ZADD', KEYS[2], string.format('%.0f', ticket), tenure)
  end
  local refused
  local function step(...)
    local reply = not refused and redis.pcall(...)
    if type(reply) == 'table' then refused = reply end
    return reply
  end
  if isRaised then
    step('PEXPIRE', KEYS[2], ttlMs)
  elseif known then
    step('HDEL', KEYS[3], '')
  end
  step('HSET', KEYS[3], tenure, string.format('%.0f %d', nowMs + freshMs, leaseMs))
  -- Of the waiters of another queue, entries may have stayed behind for a moment.
  if isFreshThere and not isQueueThere then step('HDEL', KEYS[3], 'returned') end
  local note = noteOwner()
  if note then step('HSET', KEYS[3], 'returned', note) end
  if isRaised or not isFreshThere then step('PEXPIRE', KEYS[3], ttlMs) end
  local position = isQueueThere and step('ZRANK', KEYS[2], tenure) or 0
  if refused then
    withdraw()
    return nil, refused
  end
  return position
end

-- Waiters that have died keep their places for as long as others ask: of a long queue the first are looked at. A waiter that is
-- alive all the same comes back by its ticket. Returns how many have gone; what is refused is left to the grant step.
local function dropStale()
  local first = redis.pcall('ZRANGE', KEYS[2], 0, 15)
  local entries = first.err and first or redis.pcall('HMGET', KEYS[3], unpack(first))
  if entries.err then return 0 end
  local stale = {}
  for i, waiter in ipairs(first) do
    if (freshness(entries[i]) or 0) < nowMs then stale[#stale + 1] = waiter end
  end
  if #stale > 0 then
    redis.pcall('ZREM', KEYS[2], unpack(stale))
    redis.pcall('HDEL', KEYS[3], unpack(stale))
  end
  return #stale
end

-- Before enqueue, not after: with a write behind it, the script can serve the queue of a full server.
local free = remainingMs == -2
local inherited = free and isQueueThere and foundGone(nowMs) or nil
if free then redis.call('DEL', KEYS[1]) end

local position
if freshMs > 0 then
  position, refused = enqueue()
  if refused then return refused end
end

local left = 0
if free then
  -- Others came first: the head is served, never the newcomer.
  local granted
  granted, refused = passOn(tenure, leaseMs, claimMs, trust, nowMs, inherited)
  if refused then
    withdraw()
    return refused
  end
  if granted == tenure then return { 'acquired', 1, 1, leaseMs, waiting(), wordsOf(inherited), token, question } end
  left = unserved(granted)
  if not granted and left == 0 then
    refused = own(tenure, leaseMs)
    if refused then return refused end
    if inherited then leave(inherited) end
    return { 'acquired', 1, 1, leaseMs, 0, wordsOf(inherited), token, question }
  end
  if freshMs > 0 then position = redis.call('ZRANK', KEYS[2], tenure) end
  remainingMs = granted and claimMs or 0
end

if freshMs == 0 then return { 'busy', remainingMs, nowMs, owned, left, question } end
if not free and position > 15 then position = position - dropStale() end
if position == 0 and holder and owned == 0 then tell(holder, '1 contended ' .. holder) end
return { 'wait', remainingMs, position, ticket, nowMs, owned, question }
