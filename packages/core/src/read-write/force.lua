-- Takes the lock from all who hold it as `side`, lets in who may come in then, and tells the old holders. A foreign owner counts as a writer.
-- A copy (same request) changes nothing and is answered as the first: it must not hit the holders that came after.
--
-- KEYS  lock writers readers fresh dead
-- ARGV  side tombstoneMs claimMs trust writersFirst releaseChannel
--   dead            tombstone of this request: the old holders, or '' when there were none
--   tombstoneMs     how long copies of this request are recognised
--   claimMs, trust, writersFirst  see grant.lua
--
-- Replies
--   forced holders left    the holders before, by spaces, or ''; left as for lock/release

--#include protocol/question
--#include protocol/args
--#include read-write/holders
--#include read-write/announce
--#include read-write/grant
--#include lock/owner

local tombstoneMs = integer(2, 1)
local claimMs = integer(3, 1)
local trust = ARGV[4] == '1'
local writersFirst = ARGV[5] == '1'

local known = redis.call('GET', KEYS[5])
if known then return { 'forced', known, 0, question } end

local nowMs = serverMs(redis.call('TIME'))
look(nowMs)
local old = {}
-- Java's owners have no inbox, and of a lock that rests nobody is deprived.
local isTold = not foreign
if foreign then
  local holder, fields, refused = owner('')
  if refused then return refused end
  if ARGV[1] == 'w' then old = { holder } end
  isTold = fields.seq and not fields.rest
elseif side == ARGV[1] then
  for _, field in ipairs(redis.call('HKEYS', lock)) do
    if isHolder(field) then old[#old + 1] = field end
  end
end
-- There is no such key yet; but a script that has written is not refused its SET by a full server.
redis.call('DEL', KEYS[5])
redis.call('SET', KEYS[5], table.concat(old, ' '), 'PX', tombstoneMs)
if #old > 0 then
  redis.call('DEL', lock)
  side, foreign = nil, false
end
passOn(nil, nil, claimMs, trust, nowMs, writersFirst)
if #old > 0 and not side then announce(ARGV[6], trust) end
if isTold then
  for _, holder in ipairs(old) do tell(holder, '1 lost ' .. holder .. ' force-unlocked') end
end
return { 'forced', table.concat(old, ' '), unserved(), question }
