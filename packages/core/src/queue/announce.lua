-- Included by scripts that free a lock: tells `0` on its channel to clients that wait as Redisson's do.
--
-- Pub/sub has two worlds that do not hear each other, and Redisson's clients listen in either: on one node with SUBSCRIBE,
-- in a Cluster (there `trusted` is false, see grant.lua) with SSUBSCRIBE, unless they are set otherwise or too old. So in
-- a Cluster both are told. Before Redis 7 there is no SPUBLISH, and no client could listen for it.

local function announce(channel, trusted)
  redis.pcall('PUBLISH', channel, '0')
  if not trusted then redis.pcall('SPUBLISH', channel, '0') end
end
