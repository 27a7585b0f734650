-- Included by scripts of locks that one tenure has at a time: how a tenure, and how many tenures, are reached. Expects KEYS[2] = queue.

local function waiting()
  return tonumber(redis.pcall('ZCARD', KEYS[2])) or 0
end

-- Returns the number of receivers, or nil when PUBLISH was refused.
local function tell(addressee, message)
  local clientId = string.match(addressee, '([^:]+):[^:]+$')
  if not clientId then return 0 end
  return tonumber(redis.pcall('PUBLISH', 'holdfast_inbox:' .. clientId, message))
end
