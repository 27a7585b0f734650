-- Included by scripts that name the present owner of KEYS[1]. `seq` and `token` are holdfast's bookkeeping, `mode` is
-- that of Redisson's read-write lock; every other field is an owner. Of several the first is named: a tenure takes only
-- an absent lock, so whatever else is in its hash has joined it later, as Java's read lock does.
-- Returns the owner, or nil, and all fields.

local function owner()
  local flat = redis.call('HGETALL', KEYS[1])
  local holder
  local fields = {}
  for i = 1, #flat, 2 do
    local field = flat[i]
    fields[field] = flat[i + 1]
    if field ~= 'seq' and field ~= 'token' and field ~= 'mode' then holder = holder or field end
  end
  return holder, fields
end
