-- Asks for several locks that have nothing to do with each other, for each as ask does it, whatever becomes of the others. An error of one ends
-- the script: those before it have run, those behind it have not.
--
-- KEYS  lock queue fresh dead, for each
-- ARGV  tenure leaseMs freshMs ticket freshTtlMs claimMs trust, for each
--
-- Replies: for each that of ask, with an empty text for the name of the question

--#include lock/widths

local function ask(KEYS, ARGV)
  --#include lock/seek
end

local replies = {}
for i = 1, #KEYS / keysEach do
  local args = { unpack(ARGV, argsEach * (i - 1) + 1, argsEach * i) }
  args[argsEach + 1] = ''
  local reply = ask({ unpack(KEYS, keysEach * (i - 1) + 1, keysEach * i) }, args)
  if reply.err then return reply end
  replies[i] = reply
end
replies[#replies + 1] = ARGV[#ARGV]
return replies
