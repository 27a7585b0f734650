-- As lock/serve; the next owner is given a fencing token.
--
-- KEYS  lock queue fresh counter
-- ARGV  claimMs trust tokens
--   tokens  time or count, see fenced/mint.lua; the others as for lock/serve

--#like lock/serve
--#with fenced/own for lock/own
