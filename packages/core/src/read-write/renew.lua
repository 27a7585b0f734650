-- Keeps the leases of any number of holders alive, as lock/renew does: it never revives a lease, never shortens one, and needs nothing but
-- the lock itself. Every holder has a lease of its own: one that has ended is lost, even where nobody has taken it out yet.
--
-- KEYS  lock, for each hold
-- ARGV  tenure leaseMs, for each hold
--
-- Replies: as of lock/renew; remaining is what is left of the lease

--#include protocol/question
--#include protocol/renewals

local function renew(lock, tenure, wanted, nowMs)
  local leaseMs = tonumber(wanted)
  if not isLease(leaseMs) then
    return { 'refused', 'ERR holdfast: leaseMs must be a whole number from 0 to 2147483648' }
  end
  local state = redis.pcall('HMGET', lock, 'side', tenure)
  if state.err then return failure(state) end
  local untilMs = state[1] and tonumber(state[2])
  if not untilMs or untilMs <= nowMs then
    local there = redis.pcall('EXISTS', lock)
    if type(there) == 'table' then return failure(there) end
    return { 'lost', (untilMs or there == 0) and 'deleted' or 'taken' }
  end
  if leaseMs == 0 or leaseMs <= untilMs - nowMs then return { 'held', untilMs - nowMs } end
  local ttlMs = redis.pcall('PTTL', lock)
  if type(ttlMs) == 'table' then return failure(ttlMs) end
  if ttlMs < leaseMs then
    local reply = redis.pcall('PEXPIRE', lock, leaseMs)
    if type(reply) == 'table' then return failure(reply) end
  end
  -- A full server does not refuse what follows this.
  redis.pcall('HDEL', lock, '')
  local reply = redis.pcall('HSET', lock, tenure, nowMs + leaseMs)
  if type(reply) == 'table' then return failure(reply) end
  return { 'renewed', leaseMs }
end

return renewEach(renew)
