-- Turns the permits of a tenure into permits with ids, one for each, every one with a lease of its own. They belong to nobody: whoever knows an id
-- gives it back. With that the tenure is over. A copy is answered as the first, as long as their leases last: who hears of the ids only then has none.
--
-- KEYS  count queue fresh dead permits
-- ARGV  tenure ids leaseMs tombstoneMs
--   dead         tombstone of the tenure, and what this was answered
--   ids          in the form of tenure ids, separated by spaces: as many as the tenure has permits
--   leaseMs      or `never`: until they are given back
--   tombstoneMs  how long late asks of the tenure are refused, and copies of this are recognised
--
-- Replies
--   issued    the permits have their ids
--   lost      the tenure has no permits any more, and the ids stand for nothing

--#include protocol/question
--#include protocol/args
--#include queue/inbox
--#include permits/holders
--#include permits/take
--#include permits/sooner

local tenure = ARGV[1]
local leaseMs = ARGV[3] == 'never' and 0 or integer(3, 1)
local tombstoneMs = integer(4, 1)

local known = redis.call('GET', KEYS[4])
if known and known ~= 'issued' then return { 'lost', question } end

local nowMs = msOf(redis.call('TIME'))
local notASemaphore = look()
if notASemaphore then return notASemaphore end

local ids = {}
for id in string.gmatch(ARGV[2], '%S+') do ids[#ids + 1] = id end
-- Nobody knows them yet, so that they stand together or not at all.
if known then return { free and lasting(ids[1], nowMs) and 'issued' or 'lost', question } end
local has = free and lasting(tenure, nowMs) == #ids

-- A script that has written is not refused its other writes by a full server. And who may not take the tenure's record out issues no ids beside it, or
-- its permits would be given back twice.
redis.call('HDEL', permits, '')
redis.call('SET', KEYS[4], has and 'issued' or 'lost', 'PX', tombstoneMs)
if not has then return { 'lost', question } end

sweepAt = tonumber(redis.call('HGET', permits, 'sweep'))
local soonest = sweepAt
local lastsMs = within(leaseMs, redis.call('PTTL', count))
for _, id in ipairs(ids) do
  local reply = record(id, 1, lastsMs > 0 and nowMs + lastsMs or 0)
  if type(reply) == 'table' then
    -- What is refused is refused for the first of them.
    redis.pcall('DEL', KEYS[4])
    return reply
  end
end
strike(tenure)
tellIfSooner(soonest)
return { 'issued', question }
