-- Included by scripts that renew the leases of any number of holds: KEYS[i] and the pair of ARGV that belongs to it are of one hold. Whatever Redis
-- refuses is the outcome of that one, and disturbs no other.

local LONGEST_MS = 2147483648

local function isLease(leaseMs)
  return leaseMs and leaseMs % 1 == 0 and leaseMs >= 0 and leaseMs <= LONGEST_MS
end

local function failure(reply)
  if string.find(reply.err, 'WRONGTYPE', 1, true) == 1 then return { 'lost', 'taken' } end
  return { 'refused', reply.err }
end

-- `renew` is given a key, its tenure, the lease as it was sent, and the server's time.
local function renewEach(renew)
  local time = redis.call('TIME')
  local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
  local replies = { nowMs }
  for i = 1, #KEYS do
    replies[#replies + 1] = renew(KEYS[i], ARGV[2 * i - 1], ARGV[2 * i], nowMs)
  end
  replies[#replies + 1] = question
  return replies
end
