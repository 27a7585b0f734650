-- As lock/handoff; the new hold has tokens of its own, above all before.
--
-- KEYS  lock queue counter
-- ARGV  tenure seq leaseMs tokens
--   tokens  time or count, see fenced/mint.lua
--
-- Replies as lock/handoff, with the token: of a copy, that which the first one gave
--   passed remaining others now token
--   lost

--#include protocol/question
--#include protocol/args
--#include lock/standing

local seq = integer(2, 1, 9007199254740991)
local leaseMs = integer(3, 1)

local count, last = standing()
if not count then return { 'lost', question } end

local remainingMs = redis.call('PTTL', KEYS[1])
local others = redis.call('ZCARD', KEYS[2])
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local token = redis.call('HGET', KEYS[1], 'token') or '-'

if seq > last then
  if count ~= 1 then return { 'lost', question } end
  -- Takes nothing away; but a script that has written is not refused the mint by a full server.
  redis.call('HDEL', KEYS[1], '')
  --#include fenced/mint
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  redis.call('HSET', KEYS[1], 'seq', ARGV[2], 'token', token)
  remainingMs = leaseMs
end
return { 'passed', remainingMs, others, nowMs, token, question }
