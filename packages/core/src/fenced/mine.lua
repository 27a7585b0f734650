-- As lock/mine, with a token. An owner without one was granted the lock by a script that knows of none: it gets one now, and a
-- copy of this ask finds it.

if fields.token then
  token = fields.token
else
  --#include fenced/mint
  redis.call('HSET', KEYS[1], 'token', token)
end
--#include lock/mine
