-- Goes on with a grant step that met its limit. Does nothing that any ask would not do, so a copy does no harm.
--
-- KEYS  lock writers readers fresh
-- ARGV  claimMs trust writersFirst
--
-- Replies
--   served left    as of lock/serve

--#include protocol/question
--#include protocol/args
--#include read-write/holders
--#include read-write/grant

local claimMs = integer(1, 1)
local trust = ARGV[2] == '1'
local writersFirst = ARGV[3] == '1'

local nowMs = serverMs(redis.call('TIME'))
look(nowMs)
passOn(nil, nil, claimMs, trust, nowMs, writersFirst)
return { 'served', unserved(), question }
