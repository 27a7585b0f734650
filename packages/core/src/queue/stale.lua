-- Included by asks where `position` others, more than 15, stand before a tenure in `queue`. Waiters that have died keep their places for as long as others ask: of a long
-- queue the first are looked at. A waiter that is alive all the same comes back by its ticket. What is refused is left to the grant step.

local first = redis.pcall('ZRANGE', queue, 0, 15)
local entries = first.err and first or redis.pcall('HMGET', fresh, unpack(first))
local stale = {}
for i, waiter in ipairs(entries.err and {} or first) do
  local untilMs = tonumber(string.match(entries[i] or '', '^(%d+) %d+') or 0)
  if untilMs < nowMs then stale[#stale + 1] = waiter end
end
if #stale > 0 then
  redis.pcall('ZREM', queue, unpack(stale))
  redis.pcall('HDEL', fresh, unpack(stale))
  position = position - #stale
end
