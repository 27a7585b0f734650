-- Ends one hold of each of several tenures, one after the other, as release does it. An error of one ends the script: those before
-- it have run, those behind it have not.
--
-- KEYS  lock queue fresh dead, for each
-- ARGV  tenure seq tombstoneMs claimMs trust releaseChannel turn, for each
--
-- Replies: for each that of release, with an empty text for the name of the question

local function leave(KEYS, ARGV)
  --#include lock/leave
end

local replies = {}
for i = 1, #KEYS / 4 do
  local args = { unpack(ARGV, 7 * i - 6, 7 * i) }
  args[8] = ''
  replies[i] = leave({ unpack(KEYS, 4 * i - 3, 4 * i) }, args)
end
replies[#replies + 1] = ARGV[#ARGV]
return replies
