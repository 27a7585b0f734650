-- Included by scripts that name the present owner of KEYS[1]. An owner's field has a colon in it, holdfast's and Redisson's
-- alike; a field without one is bookkeeping: `seq` and `token` of ours, `mode` of Redisson's read-write lock, and whatever a
-- later version adds. Of several owners the first is named: a tenure takes only an absent lock, so whatever else is in
-- its hash has joined it later, as Java's read lock does.
-- Returns the owner, or nil, and all fields.

local function owner()
  local flat = redis.call('HGETALL', KEYS[1])
  local holder
  local fields = {}
  for i = 1, #flat, 2 do
    local field = flat[i]
    fields[field] = flat[i + 1]
    if string.find(field, ':', 1, true) then holder = holder or field end
  end
  return holder, fields
end
