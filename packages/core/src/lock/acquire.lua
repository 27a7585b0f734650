-- Included by ask where the lock is free and no tenure waits.

return own(tenure, ARGV[2]) or 'acquired ' .. question
