-- How many permits are free, in use, and waited for. Read-only: what those have whose lease has ended counts as free.
--
-- KEYS  count queue timeouts permits
-- ARGV
--
-- Reply: counts free used javas waiting; javas as Redisson counts them, of its expirable semaphore. `none`: there is no semaphore

--#include protocol/question
--#include permits/free
--#include permits/javas

local free, refused = freeIn(KEYS[1])
if refused then return refused end
if not free then return { 'none', question } end
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local used = 0
local flat = redis.call('HGETALL', KEYS[4])
for i = 1, #flat, 2 do
  local n, untilMs = string.match(flat[i + 1] .. ' ', '^(%d+) (%d+) ')
  if n and untilMs ~= '0' and tonumber(untilMs) <= nowMs then
    free = free + tonumber(n)
  elseif n then
    used = used + tonumber(n)
  end
end
local javas, ended = javasIn(KEYS[3], nowMs)
if not javas then return ended end
-- As text: of numbers near 2^53 ioredis makes others.
return { 'counts', string.format('%.0f', free + ended), used, javas, redis.call('ZCARD', KEYS[2]), question }
