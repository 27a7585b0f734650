-- Included where an owner is to get its fencing tokens: sets `token` to the first of 32, or returns the error reply of a refused step.
-- The last key is the counter, which is Redisson's; the last argument before the question says how tokens are made.
--
-- By `time`, no token is below the server's clock in microseconds. So none comes again when the counter was lost, or when a failover
-- brought an older one back: while fewer than a million tokens are given in a second, the clock is ahead of all that were given.
-- By `count`, tokens are small numbers, and go on from the counter as Redisson's INCR does.
--
-- A counter without TTL is Redisson's, whose INCR would begin again at 1: it stays so. Any other lives for 24 h behind its last token. It
-- gets its TTL once in 10,000 s, when the first six digits change, and so much longer: the other mints are one look at the clock and one write.
-- A mint by `count` takes the TTL away, since it does not renew it, and the count would begin again at 1. Only a counter that `time` has made
-- has one, and 16 digits.

if ARGV[#ARGV - 1] == 'count' then
  local last = redis.pcall('INCRBY', KEYS[#KEYS], 32)
  if type(last) == 'table' then return last end
  token = string.format('%.0f', last - 31)
  if last >= 1e15 and redis.pcall('PTTL', KEYS[#KEYS]) ~= -1 then
    local reply = redis.pcall('SET', KEYS[#KEYS], string.format('%.0f', last))
    if reply.err then return reply end
  end
else
  local time = redis.pcall('TIME')
  if time.err then return time end
  token = time[1] .. string.sub('00000' .. time[2], -6)
  local last = redis.pcall('SET', KEYS[#KEYS], token + 31, 'KEEPTTL', 'GET')
  if type(last) == 'table' then return last end
  -- Texts of one length compare as their numbers do.
  if not last or #last ~= 16 or last >= token or string.sub(last, 1, 6) ~= string.sub(token, 1, 6) then
    last = tonumber(last)
    if last and last >= tonumber(token) then token = string.format('%.0f', last + 1) end
    local lasts = last and redis.pcall('PTTL', KEYS[#KEYS]) == -1
    local reply = redis.pcall('SET', KEYS[#KEYS], token + 31, unpack(lasts and { 'KEEPTTL' } or { 'PX', 96400000 }))
    if reply.err then return reply end
  end
end
