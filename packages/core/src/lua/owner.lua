-- Included by scripts that name the present owner of KEYS[1]. `seq` and `token` are holdfast's bookkeeping, `mode` is
-- that of Redisson's read-write lock; every other field is an owner.
-- Returns the owner, or nil, and all fields.

local function owner()
  local flat = redis.call('HGETALL', KEYS[1])
  local holder
  local fields = {}
  for i = 1, #flat, 2 do
    local field = flat[i]
    fields[field] = flat[i + 1]
    if field ~= 'seq' and field ~= 'token' and field ~= 'mode' then holder = field end
  end
  return holder, fields
end
