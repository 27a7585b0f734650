-- Included by scripts that tell a tenure something.

local function inboxOf(id)
  local clientId = string.match(id, '([^:]+):[^:]+$')
  return clientId and 'holdfast_inbox:' .. clientId
end

local function tell(id, message)
  local inbox = inboxOf(id)
  if inbox then redis.pcall('PUBLISH', inbox, message) end
end
