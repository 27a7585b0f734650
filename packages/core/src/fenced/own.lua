-- As lock/own, with a token for the new owner. A mint that is refused comes before the first write to the lock: then there is no owner.

local token = '-'

local function own(id, leaseMs)
  --#include fenced/mint
  local reply = redis.pcall('HSET', KEYS[1], id, '1', 'seq', '1', 'token', token)
  if type(reply) == 'table' then return reply end
  reply = redis.pcall('PEXPIRE', KEYS[1], leaseMs)
  if type(reply) == 'table' then
    redis.pcall('HDEL', KEYS[1], id, 'seq', 'token')
    redis.pcall('DEL', KEYS[1])
    return reply
  end
  return nil
end
