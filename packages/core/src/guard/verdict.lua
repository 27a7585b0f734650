-- Included by guards. `record` is what the last write has left: `<token> <n>`, n being its number among the writes under that token. Says
-- what becomes of this write, which is under ARGV[1] and has the number ARGV[2]:
--   stale    a later token has written
--   written  it is a copy, or an earlier write that comes late: nothing is done any more
--   new

local function verdict(record)
  local token, n = string.match(record, '^(%d+) (%d+)$')
  if not token then return nil, { err = 'NOTAFENCE this is not what a guard has left' } end
  local mine, number = integer(1, 1, 9007199254740991), integer(2, 1, 9007199254740991)
  if mine < tonumber(token) then return 'stale', token end
  if mine == tonumber(token) and number <= tonumber(n) then return 'written' end
  return 'new'
end
