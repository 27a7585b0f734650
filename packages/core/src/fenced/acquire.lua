-- As lock/acquire, with the token in the reply.

return own(tenure, ARGV[2]) or 'acquired ' .. token .. ' ' .. question
