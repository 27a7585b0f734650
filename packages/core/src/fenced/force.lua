-- As lock/force; the next owner is given a fencing token.
--
-- KEYS  lock queue fresh dead counter
-- ARGV  tombstoneMs claimMs trust releaseChannel tokens
--   tokens  time or count, see fenced/mint.lua; the others as for lock/force

--#like lock/force
--#with fenced/own for lock/own
