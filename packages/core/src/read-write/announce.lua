-- Included by scripts that let others in: tells `1` on the channel of Redisson's read-write lock, which wakes all who listen there; in both
-- worlds of pub/sub, for the reason in queue/announce.lua.

local function announce(channel, trusted)
  redis.pcall('PUBLISH', channel, '1')
  if not trusted then redis.pcall('SPUBLISH', channel, '1') end
end
