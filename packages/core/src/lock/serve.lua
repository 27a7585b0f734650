-- Goes on with a grant step that met its limit: gives a free lock to the next waiter that is still there. Does nothing to a
-- lock that has an owner, so a copy changes nothing more.
--
-- KEYS  lock queue fresh
-- ARGV  claimMs trust
--   see grant.lua
--
-- Replies
--   served left    left = waiters of a lock that is still free: call again

--#include protocol/question
--#include protocol/args
--#include lock/own
--#include queue/inherited
--#include queue/waiting
--#include queue/inbox
--#include queue/grant

local claimMs = integer(1, 1)
local trust = ARGV[2] == '1'

if redis.call('PTTL', KEYS[1]) ~= -2 then return { 'served', 0, question } end
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local inherited = foundGone(nowMs)
redis.call('DEL', KEYS[1])
local _, _, left = passOn(nil, nil, claimMs, trust, nowMs, inherited)
return { 'served', left, question }
