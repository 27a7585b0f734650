-- Included by scripts that make room: tells how many permits are free on the channel of Redisson's semaphores, when nobody of ours waits for them;
-- in both worlds of pub/sub, for the reason in queue/announce.lua. After permits/grant.

local function announce(channel, trusted)
  if not free or free < 1 or waiting() > 0 then return end
  redis.pcall('PUBLISH', channel, free)
  if not trusted then redis.pcall('SPUBLISH', channel, free) end
end
