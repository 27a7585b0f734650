-- Turns permits with ids into those of a tenure, all of them or none: the reverse of issue. Its process keeps them from then on, and the ids stand for
-- nothing, so that of several who know them one gets them. A copy finds what the tenure has, or its tombstone.
--
-- KEYS  count queue fresh dead permits
-- ARGV  tenure ids leaseMs
--   dead      tombstone of the tenure
--   ids       in the form of tenure ids, separated by spaces
--   leaseMs   from now, whatever was left of theirs; or `never`
--
-- Replies, as of ask
--   acquired                 the tenure has the permits from now on, for leaseMs
--   acquired remaining 0     the same; the lease is shorter: it ends with the semaphore
--   mine remaining 0 now     it had them already
--   busy -1 0                one of the ids stands for no permit; nothing was done
--   dead                     as of ask

--#include protocol/question
--#include protocol/args
--#include queue/inbox
--#include permits/holders
--#include permits/take
--#include permits/sooner

local tenure = ARGV[1]
local leaseMs = ARGV[3] == 'never' and 0 or integer(3, 1)

local nowMs = msOf(redis.call('TIME'))
local notASemaphore = look()
if notASemaphore then return notASemaphore end
if redis.call('EXISTS', KEYS[4]) == 1 then return { 'dead', question } end

if lasting(tenure, nowMs) then
  local _, endsAt = parse(redis.call('HGET', permits, tenure))
  return { 'mine', endsAt > 0 and endsAt - nowMs or -1, 0, nowMs, question }
end

local ids = {}
for id in string.gmatch(ARGV[2], '%S+') do
  if not free or lasting(id, nowMs) ~= 1 then return { 'busy', -1, 0, question } end
  ids[#ids + 1] = id
end

-- A script that has written is not refused its other writes by a full server. And who may not take the ids out gets no permits beside them.
redis.call('HDEL', permits, '')
sweepAt = tonumber(redis.call('HGET', permits, 'sweep'))
local soonest = sweepAt
local lastsMs = within(leaseMs, redis.call('PTTL', count))
local reply = record(tenure, #ids, lastsMs > 0 and nowMs + lastsMs or 0)
if type(reply) == 'table' then return reply end
for _, id in ipairs(ids) do strike(id) end
tellIfSooner(soonest)
return lastsMs == leaseMs and 'acquired ' .. question or { 'acquired', lastsMs, 0, question }
