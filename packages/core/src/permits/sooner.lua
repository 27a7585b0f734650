-- Included by scripts that set when leases end. After permits/take and queue/inbox.
--
-- Who waits was told when the first lease ends, and asks then. Where that is sooner now, the first in line are told to ask anew. Not all: whoever is
-- further back is told again when it asks by itself.

local MOST_TOLD = 8

local function tellIfSooner(before)
  if not sweepAt or before and sweepAt >= before then return end
  for _, id in ipairs(redis.pcall('ZRANGE', queue, 0, MOST_TOLD - 1)) do
    tell(id, '1 look ' .. id)
  end
end
