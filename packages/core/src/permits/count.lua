-- Changes how many permits there are. A copy (same request) changes nothing and is answered as the first: nobody knows whether there will be one,
-- so each run leaves its answer behind.
--
-- KEYS  count queue fresh dead timeouts permits
-- ARGV  how n ttlMs tombstoneMs claimMs trust releaseChannel
--   dead            tombstone of this request: the answer
--   timeouts        see sweep.lua
--   how             begin: so many, unless there is a semaphore; add: so many more, of which there may be less than none;
--                   total: so many, with those that are in use
--   ttlMs           for begin: how long the semaphore lasts; 0: until it is deleted
--   tombstoneMs     how long copies of this request are recognised
--   claimMs, trust  see grant.lua
--   releaseChannel  see announce.lua
--
-- Replies
--   counted changed left    1 = the number of permits was changed; left as for lock/serve
-- Errors: NOTASEMAPHORE; TOOMANYPERMITS for more than can be counted exactly, after which nothing was done

--#include protocol/question
--#include protocol/args
--#include queue/inbox
--#include permits/holders
--#include permits/take
--#include permits/give
--#include permits/sweep
--#include permits/begin
--#include permits/grant
--#include permits/announce

local how = ARGV[1]
local n = integer(2, how == 'add' and -2147483648 or 0)
local ttlMs = integer(3, 0)
local tombstoneMs = integer(4, 1)
local claimMs = integer(5, 1)
local trust = ARGV[6] == '1'

local known = redis.call('GET', KEYS[4])
if known then return { 'counted', tonumber(known), 0, question } end

local nowMs = msOf(redis.call('TIME'))
local notASemaphore = look()
if notASemaphore then return notASemaphore end

local more = n
if how == 'total' and free then
  -- In use are those of tenures, and those of Redisson's clients as far as it keeps who has them.
  local used = redis.pcall('ZCARD', KEYS[5])
  if type(used) == 'table' then
    -- A lock, or another semaphore, may have that name.
    if not string.find(used.err, 'WRONGTYPE', 1, true) then return used end
    used = 0
  end
  local flat = redis.call('HGETALL', permits)
  for i = 1, #flat, 2 do
    if isHolder(flat[i]) then used = used + (parse(flat[i + 1]) or 0) end
  end
  -- What is swept below goes from one to the other.
  more = n - used - free
end
-- Numbers are exact up to 2^53: as many may be in use.
if how == 'add' and math.abs((free or 0) + n) > 4503599627370496 then
  return { err = 'TOOMANYPERMITS beyond 2^52' }
end
local changed = how ~= 'begin' or not free
-- A script that has written is not refused its other writes by a full server: that may make room among permits, and not begin a semaphore, which may
-- last for ever. And where there can be no records nothing is left that says it was done.
redis.call(free and 'HDEL' or 'HEXISTS', permits, '')
redis.call('SET', KEYS[4], changed and 1 or 0, 'PX', tombstoneMs)
if changed then
  if not free then
    begin(n, ttlMs)
  else
    sweep(nowMs)
    put(more)
  end
  passOn(nil, claimMs, trust, nowMs)
  announce(ARGV[7], trust)
end
return { 'counted', changed and 1 or 0, unserved(), question }
