-- As lock/cancel; the next owner is given a fencing token.
--
-- KEYS  lock queue fresh dead counter
-- ARGV  tenure tombstoneMs claimMs trust releaseChannel end tokens
--   tokens  time or count, see fenced/mint.lua; the others as for lock/cancel

--#like lock/cancel
--#with fenced/own for lock/own
