-- Included by scripts of the semaphore: who has permits, how many, and until when.
--
-- Expects KEYS[1..3] = count, queue, fresh, and as the last key permits:
--   count     string: the permits that nobody has. It is Redisson's counter, and its clients take and give back by this number alone. A
--             semaphore that was made smaller may have fewer than none
--   permits   hash: <tenure> -> `<permits> <server ms at which its lease ends; 0: never>`, and `sweep`: server ms before which no lease in it
--             ends; absent when none does. Its TTL is that of the counter, if that has one: else the permits of those who have crashed would be
--             forgotten with their records
--
-- What holds after each script: count + the permits of all records + what Redisson's clients have = the total. So writes come in pairs, of a
-- record and the counter: that a tenure has permits is written before they are taken from the counter, and they are back in the counter before
-- its record goes. Redis does not roll back, so a write that is refused ends the script before the second of a pair, or undoes the first.
--
-- Why copies do no harm. A record says how many a tenure has, and giving back says how many it keeps, a number that only falls: whatever is more
-- than that goes back, and a copy finds nothing that is more. An ask finds its own record, or the tombstone of its tenure. A renewal finds a
-- record that has not ended, or does nothing.

--#include permits/free

local count, queue, fresh, permits = KEYS[1], KEYS[2], KEYS[3], KEYS[#KEYS]
local free, sweepAt

local function msOf(time)
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Permits and the end of the lease, of a record; nil when there is none.
local function parse(entry)
  local n, untilMs = string.match(entry and entry .. ' ' or '', '^(%d+) (%d+) ')
  return tonumber(n), tonumber(untilMs)
end

-- How many permits a record stands for; nil when there is none, or its lease has ended.
local function lasting(id, nowMs)
  local n, endsAt = parse(redis.call('HGET', permits, id))
  return n and (endsAt == 0 or endsAt > nowMs) and n or nil
end

-- Takes a record out, and the hash with the last of them.
local function strike(id)
  redis.pcall('HDEL', permits, id)
  if redis.pcall('HLEN', permits) == 1 and redis.pcall('HEXISTS', permits, 'sweep') == 1 then
    redis.pcall('DEL', permits)
    sweepAt = nil
  end
end

-- Sets `free`; nil when there is no semaphore. Returns the error reply where something else has the name.
local function look()
  local refused
  free, refused = freeIn(count)
  return refused
end
