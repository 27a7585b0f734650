-- As lock/release; the next owner is given a fencing token.
--
-- KEYS  lock queue fresh dead counter
-- ARGV  tenure seq tombstoneMs claimMs trust releaseChannel turn tokens
--   tokens  time or count, see fenced/mint.lua; the others as for lock/release

--#like lock/release
--#with fenced/own for lock/own
