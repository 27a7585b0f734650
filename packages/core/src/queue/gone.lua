-- Included by grant steps: whether nobody listens to the inbox of a waiter. After queue/inbox.
--
-- It is asked before the waiter is given anything. The reply of PUBLISH would say the same too late: a message goes to the replicas as well, and a
-- client that listens at one of them would believe a grant which is taken back here (ADR 54).
-- `trusted`: the server knows all who listen. In a Cluster it does not, and freshness decides; so it does where the user has no right to ask.

local function isGone(id, trusted)
  local inbox = trusted and inboxOf(id)
  if not inbox then return trusted end
  local reply = redis.pcall('PUBSUB', 'NUMSUB', inbox)
  return reply[2] == 0
end
