-- The grant step of the read-write lock, shared by all scripts that may have made room. After read-write/holders.
--
-- | the lock                       | who gets in |
-- |--------------------------------|-------------|
-- | a writer, or a foreign owner   | nobody |
-- | readers                        | if no writer waits: all readers that wait |
-- | nobody, after a write phase    | all readers that wait; if there are none, the first writer |
-- | nobody, after a read phase     | the first writer; if there is none, all readers that wait |
-- | nobody, no phase known         | whoever has the smaller ticket |
--
-- So phases alternate while both kinds wait, and neither starves: a reader sees at most one write phase go by, a writer those of the writers
-- before it and a read phase between any two. With writersFirst a free lock goes to a writer whenever one waits: readers may starve.
-- The latest phase stands in the hash while there is one, and in field `last` of `fresh` for when the lock has expired.
--
-- As in queue/grant.lua: who is granted the lock is written with the claim lease before it is told; who is not fresh, or whose inbox has no
-- subscriber where that is known, is passed over and comes back by its ticket; nothing in here raises. Of a writer that waits behind readers that
-- is asked too: a dead one must not keep readers out. Where so many of a queue have gone that a script comes to none that is here, nobody comes in
-- past it: who asks or serves next goes on.

-- Readers may join those who are in, when more of the writers before them have been looked at.
local goesOn = false
-- A reader asks that does not queue, and would come to those who are in.
local joins = false

-- Readers let in by one script.
local MOST_READERS = 1000

local function waitingIn(queue)
  return tonumber(redis.pcall('ZCARD', queue)) or 0
end

-- Who waits for what the holder of `what` has: a reader keeps out only writers.
local function othersOf(what)
  return waitingIn(writers) + (what == 'w' and waitingIn(readers) or 0)
end

--#include queue/inbox
--#include queue/gone

-- Until when a waiter may be let in, and the lease it wants. What a later version writes behind these is not read.
local function freshness(id)
  local entry = redis.pcall('HGET', fresh, id)
  if type(entry) ~= 'string' then return nil end
  local untilMs, wantedMs = string.match(entry .. ' ', '^(%d+) (%d+) ')
  return tonumber(untilMs), tonumber(wantedMs)
end

local function drop(queue, id)
  redis.pcall('ZREM', queue, id)
  redis.pcall('HDEL', fresh, id)
end

-- `first` of a queue is nobody, for want of looking further.
local function isCutShort(first, queue)
  return not first and waitingIn(queue) > 0
end

-- The first of a queue that may be let in, the lease it wants and its ticket. Those before it go, at most 64 at a time.
-- `probed`: its inbox is looked at here, because it will not be let in.
local function firstOf(queue, self, nowMs, trusted, probed)
  for _ = 1, 64 do
    local head = redis.pcall('ZRANGE', queue, 0, 0, 'WITHSCORES')
    local id = head[1]
    if not id then return nil end
    local untilMs, wantedMs = freshness(id)
    local isHere = untilMs and untilMs >= nowMs and not (probed and isGone(id, trusted))
    if id == self or isHere then return id, wantedMs, tonumber(head[2]) end
    drop(queue, id)
  end
  return nil
end

-- Lets one waiter in: the asking one with its whole lease, another with the claim lease and a message. Returns whether it is in.
local function letIn(id, what, self, claimMs, trusted, nowMs, others, wantedMs)
  if id == self then return not hold(id, what, wantedMs, nowMs) end
  if isGone(id, trusted) then return false end
  local grantedMs = math.min(claimMs, wantedMs)
  if hold(id, what, grantedMs, nowMs) then return false end
  tell(id, string.format('1 grant %s %.0f %.0f %d -', id, nowMs + grantedMs, nowMs, others))
  return true
end

local function letReadersIn(self, selfLeaseMs, claimMs, trusted, nowMs)
  local some = false
  local waiting = redis.pcall('ZRANGE', readers, 0, MOST_READERS - 1)
  local others = #waiting > 0 and waitingIn(writers)
  for _, id in ipairs(waiting) do
    local untilMs, wantedMs = freshness(id)
    drop(readers, id)
    if id == self then wantedMs = selfLeaseMs end
    if id == self or (untilMs and untilMs >= nowMs) then
      some = letIn(id, 'r', self, claimMs, trusted, nowMs, others, wantedMs) or some
    end
  end
  return some
end

local function letWriterIn(self, selfLeaseMs, claimMs, trusted, nowMs)
  for _ = 1, 64 do
    local id, wantedMs = firstOf(writers, self, nowMs, trusted)
    if not id then return false end
    drop(writers, id)
    if id == self then wantedMs = selfLeaseMs end
    if letIn(id, 'w', self, claimMs, trusted, nowMs, othersOf('w'), wantedMs) then return true end
    redis.pcall('DEL', lock)
    side = nil
  end
  return false
end

local function remember(phase)
  if redis.pcall('EXISTS', fresh) == 1 then redis.pcall('HSET', fresh, 'last', phase) end
end

-- Nobody holds the lock.
local function beginPhase(self, selfLeaseMs, claimMs, trusted, nowMs, writersFirst)
  -- Before the first HSET, for the reason in queue/grant.lua.
  redis.pcall('DEL', lock)
  local writer, _, writerTicket = firstOf(writers, self, nowMs, trusted)
  local reader, _, readerTicket = firstOf(readers, self, nowMs, trusted)
  if not writer and not reader or isCutShort(writer, writers) or isCutShort(reader, readers) then return end
  local last = before or redis.pcall('HGET', fresh, 'last')
  local readersNext = not writer
  if reader and writer and not writersFirst then
    if last == 'w' or last == 'r' then
      readersNext = last == 'w'
    else
      readersNext = readerTicket < writerTicket
    end
  end
  for _, phase in ipairs(readersNext and { 'r', 'w' } or { 'w', 'r' }) do
    local enter = phase == 'r' and letReadersIn or letWriterIn
    if enter(self, selfLeaseMs, claimMs, trusted, nowMs) then
      remember(phase)
      return
    end
    redis.pcall('DEL', lock)
    side = nil
    if isCutShort(nil, phase == 'r' and readers or writers) then return end
  end
end

-- `self` is the asking tenure, if any. When nobody waits any more, nothing is left that says who did.
local function passOn(self, selfLeaseMs, claimMs, trusted, nowMs, writersFirst)
  if foreign or side == 'w' then
    -- Nobody comes in.
  elseif not side then
    beginPhase(self, selfLeaseMs, claimMs, trusted, nowMs, writersFirst)
  elseif (joins or waitingIn(readers) > 0) and not firstOf(writers, self, nowMs, trusted, true) then
    goesOn = isCutShort(nil, writers)
    if not goesOn then
      letReadersIn(self, selfLeaseMs, claimMs, trusted, nowMs)
    end
  end
  if redis.pcall('EXISTS', writers, readers) == 0 then redis.pcall('DEL', fresh) end
end

-- How many who wait for a lock that is free, or may be joined, a grant step has not come to.
local function unserved()
  if foreign or side and not goesOn then return 0 end
  return waitingIn(writers) + waitingIn(readers)
end
