-- Keeps the leases of any number of holds alive, and tells which of them are lost. Also the claim after a grant.
-- Never creates a lock, never shortens a lease; repairs an own lock that has lost its TTL.
--
-- It needs nothing but the lock itself, on purpose: while a Cluster slot moves, a script with one key is served by
-- whichever server has that key, and one with a second key is refused until the whole slot has arrived.
--
-- KEYS  lock, for each hold
-- ARGV  tenure leaseMs, for each hold
--   leaseMs  0 = only verify
--
-- Replies: now (server ms), then for each hold one of (remaining is a PTTL: -1 = no TTL)
--   renewed remaining
--   held remaining     owner, and the lease was long enough (or only verified)
--   lost reason        deleted, or taken (another owner, or a key of another type)
--   refused message    the error reply of Redis

--#include protocol/question
--#include protocol/renewals

local function renew(lock, tenure, wanted)
  local leaseMs = tonumber(wanted)
  if not isLease(leaseMs) then
    return { 'refused', 'ERR holdfast: leaseMs must be a whole number from 0 to 2147483648' }
  end
  local owns = redis.pcall('HEXISTS', lock, tenure)
  if type(owns) == 'table' then return failure(owns) end
  local remainingMs = redis.pcall('PTTL', lock)
  if type(remainingMs) == 'table' then return failure(remainingMs) end
  if owns == 0 then return { 'lost', remainingMs == -2 and 'deleted' or 'taken' } end
  if leaseMs == 0 or leaseMs <= remainingMs then return { 'held', remainingMs } end
  local reply = redis.pcall('PEXPIRE', lock, leaseMs)
  if type(reply) == 'table' then return failure(reply) end
  return { 'renewed', leaseMs }
end

return renewEach(renew)
