-- Included by grant steps: whether nobody listens to the inbox of a waiter. After queue/inbox.
--
-- Asked before anything is given to it, and not read from the reply of PUBLISH: a message goes to the replicas too, and who listens at one of
-- them, as after a failover the client whose connection outlived it, would believe a grant that is taken back here because nobody heard it (ADR 54).
-- `trusted`: on one server its own count says it all. In a Cluster others may listen elsewhere, and freshness decides; as it does where the user has
-- no right to ask.

local function isGone(id, trusted)
  local inbox = trusted and inboxOf(id)
  if not inbox then return trusted end
  local reply = redis.pcall('PUBSUB', 'NUMSUB', inbox)
  return reply[2] == 0
end
