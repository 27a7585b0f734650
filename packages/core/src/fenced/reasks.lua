-- As lock/reasks, for locks whose owners have fencing tokens.
--
-- KEYS  lock queue fresh dead counter, for each
-- ARGV  tenure leaseMs freshMs ticket freshTtlMs claimMs trust tokens, for each

--#like lock/reasks
--#with fenced/widths for lock/widths
--#with fenced/own for lock/own
--#with fenced/acquire for lock/acquire
--#with fenced/mine for lock/mine
