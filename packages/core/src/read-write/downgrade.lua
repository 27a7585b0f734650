-- The writer becomes a reader, and all readers that wait come in, though writers wait: it is a read phase that begins.
-- A copy changes nothing: the tenure is a reader by then, or gone.
--
-- KEYS  lock writers readers fresh
-- ARGV  tenure claimMs trust writersFirst releaseChannel
--
-- Replies (others = writers that wait, now = server ms)
--   passed remaining others now
--   lost                         the tenure does not hold the lock; room that there is goes to who waits

--#include protocol/question
--#include protocol/args
--#include read-write/holders
--#include read-write/announce
--#include read-write/grant

local tenure = ARGV[1]
local claimMs = integer(2, 1)
local trust = ARGV[3] == '1'
local writersFirst = ARGV[4] == '1'

local nowMs = serverMs(redis.call('TIME'))
look(nowMs)
local untilMs = side and tonumber(redis.call('HGET', lock, tenure))
if not untilMs then
  passOn(nil, nil, claimMs, trust, nowMs, writersFirst)
  return { 'lost', question }
end
if side == 'w' then
  -- A full server does not refuse what follows this.
  redis.call('HDEL', lock, '')
  redis.call('HSET', lock, 'side', 'r')
  side = 'r'
  letReadersIn(nil, nil, claimMs, trust, nowMs)
  passOn(nil, nil, claimMs, trust, nowMs, writersFirst)
  remember('r')
  announce(ARGV[5], trust)
end
return { 'passed', untilMs - nowMs, othersOf('r'), nowMs, question }
