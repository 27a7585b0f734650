-- Included by guards. The last write has left a record: `<token> <n>`, n being its number among the writes under that token. That of a string is a key
-- beside it, that of a hash its field `fence`. Both are read, for a key may have been the other before, and may be gone. Says what becomes of this
-- write, which is under ARGV[1] and has the number ARGV[2]:
--   stale    a later token has written
--   written  it is a copy, or an earlier write that comes late: nothing is done any more
--   new

-- Of KEYS[1], when it is a hash.
local field = redis.pcall('HGET', KEYS[1], 'fence')

local function verdict()
  local mine, number = integer(1, 1, 9007199254740991), integer(2, 1, 9007199254740991)
  if type(field) == 'table' then
    if not string.find(field.err, 'WRONGTYPE', 1, true) then return nil, field end
    field = nil
  end
  local said, later = 'new'
  for _, record in ipairs({ redis.call('GET', KEYS[2]) or '0 0', field or '0 0' }) do
    local token, n = string.match(record, '^(%d+) (%d+)$')
    if not token then return nil, { err = 'NOTAFENCE this is not what a guard has left' } end
    if mine < tonumber(token) then
      said, later = 'stale', token
    elseif said == 'new' and mine == tonumber(token) and number <= tonumber(n) then
      said = 'written'
    end
  end
  return said, later
end
