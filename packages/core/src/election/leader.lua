-- Who leads, and tells others to look for themselves if the caller wants it. Writes nothing.
--
-- KEYS  lock
-- ARGV  say channel trust
--   say      1 = something may have changed: `0` is published on the channel
--   trust    see queue/announce.lua
--
-- Reply: the tenure that leads and its token, both '' when nobody does. A lock without a token is no leadership, and one that rests is over.

--#include protocol/question
--#include lock/owner
--#include queue/announce

local holder, fields, refused = owner('')
if refused then return refused end
if ARGV[1] == '1' then announce(ARGV[2], ARGV[3] == '1') end
local leads = holder and fields.seq and fields.token and not fields.rest
return { leads and holder or '', leads and fields.token or '', question }
