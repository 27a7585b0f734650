-- Asks for several locks in order, one after the other, as ask does it, and ends with the first that its tenure does not get: the locks behind
-- it are asked for when that one is had. Those behind the first are taken only where they are free and nobody waits; no place is asked for.
-- A tenure that has its lock by an earlier copy is told so in any case. An error of one ends the script: those before it may have run.
--
-- KEYS  lock queue fresh dead, for each
-- ARGV  tenure leaseMs freshMs ticket freshTtlMs claimMs trust, for each
--
-- Replies: for each that of ask, with an empty text for the name of the question; `dead` also for one that was not asked for

local function ask(KEYS, ARGV)
  --#include lock/seek
end

local replies = {}
local had = true
for i = 1, #KEYS / 4 do
  local keys = { unpack(KEYS, 4 * i - 3, 4 * i) }
  local args = { unpack(ARGV, 7 * i - 6, 7 * i) }
  args[8] = ''
  local isTurn = i == 1 or had and redis.call('EXISTS', keys[1], keys[2]) == 0
  local reply = { 'dead', '' }
  if isTurn or redis.pcall('HMGET', keys[1], args[1])[1] then reply = ask(keys, args) end
  if reply.err then return reply end
  local status = type(reply) == 'string' and string.match(reply, '^%a+') or reply[1]
  had = had and (status == 'acquired' or status == 'mine')
  replies[i] = reply
end
replies[#replies + 1] = ARGV[#ARGV]
return replies
