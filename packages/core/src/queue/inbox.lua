-- Included by grant steps of names that several tenures may have at once: how a waiter is told, and whether it is still there.

local function inboxOf(id)
  local clientId = string.match(id, '([^:]+):[^:]+$')
  return clientId and 'holdfast_inbox:' .. clientId
end

-- Returns the number of receivers, or nil when PUBLISH was refused.
local function tell(id, message)
  local inbox = inboxOf(id)
  if not inbox then return 0 end
  return tonumber(redis.pcall('PUBLISH', inbox, message))
end

-- Whether nobody listens to its inbox, as far as the answer can be trusted.
local function isGone(id, trusted)
  local inbox = trusted and inboxOf(id)
  if not inbox then return trusted end
  local reply = redis.pcall('PUBSUB', 'NUMSUB', inbox)
  return reply[2] == 0
end
