-- Included by scripts that make a tenure the owner of KEYS[1], which must be absent.
-- Returns nil, or the error reply of a refused write. A lock never stays behind without TTL: when PEXPIRE is refused
-- (ACL), the two fields go again. By HDEL first, because DEL shares the ACL category of PEXPIRE while HDEL shares that of HSET; and by DEL
-- where HDEL is refused too.
--
-- `token` is what a reply or a message says of the owner's fencing token. Here there is none; fenced/own.lua, which may stand
-- in place of this part, has them.

local token = '-'

local function own(id, leaseMs)
  local reply = redis.pcall('HSET', KEYS[1], id, '1', 'seq', '1')
  if type(reply) == 'table' then return reply end
  reply = redis.pcall('PEXPIRE', KEYS[1], leaseMs)
  if type(reply) == 'table' then
    redis.pcall('HDEL', KEYS[1], id, 'seq')
    redis.pcall('DEL', KEYS[1])
    return reply
  end
  return nil
end
