-- Keeps the leases of any number of tenures alive, as lock/renew does: it never revives a lease, never shortens one, and needs nothing but the
-- records. One that has ended is lost, even where nobody has taken it out yet. None outlasts the semaphore, whose TTL the records have.
--
-- KEYS  permits, for each tenure
-- ARGV  tenure leaseMs, for each tenure
--   leaseMs  0 = only look; never = it ends no more
--
-- Replies: as of lock/renew; remaining is what is left of the lease, -1 when it never ends

--#include protocol/question
--#include protocol/renewals

local function renew(permits, tenure, wanted, nowMs)
  local leaseMs = wanted == 'never' and LONGEST_MS or tonumber(wanted)
  if not isLease(leaseMs) then
    return { 'refused', 'ERR holdfast: leaseMs must be never, or a whole number from 0 to 2147483648' }
  end
  local entry = redis.pcall('HGET', permits, tenure)
  if type(entry) == 'table' then return failure(entry) end
  local n, ends = string.match(entry and entry .. ' ' or '', '^(%d+) (%d+) ')
  local untilMs = tonumber(ends)
  if not untilMs or untilMs > 0 and untilMs <= nowMs then return { 'lost', 'deleted' } end
  local ttlMs = redis.pcall('PTTL', permits)
  if type(ttlMs) == 'table' then return failure(ttlMs) end
  local isCut = ttlMs >= 0 and (wanted == 'never' or leaseMs > ttlMs)
  local lastsMs = untilMs > 0 and untilMs - nowMs or -1
  if ttlMs >= 0 and (lastsMs < 0 or lastsMs > ttlMs) then lastsMs = ttlMs end
  if untilMs == 0 or not isCut and wanted ~= 'never' and leaseMs <= lastsMs then return { 'held', lastsMs } end
  -- A full server does not refuse what follows this.
  redis.pcall('HDEL', permits, '')
  if isCut then leaseMs = math.max(ttlMs, 1) end
  untilMs = wanted == 'never' and not isCut and 0 or nowMs + leaseMs
  local reply = redis.pcall('HSET', permits, tenure, string.format('%d %.0f', n, untilMs))
  if type(reply) == 'table' then return failure(reply) end
  return untilMs > 0 and { 'renewed', leaseMs } or { 'held', -1 }
end

return renewEach(renew)
