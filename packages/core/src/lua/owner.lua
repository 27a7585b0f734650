-- Included by scripts that name the present owner of KEYS[1]. `seq` and `token` are holdfast's bookkeeping, `mode` is
-- that of Redisson's read-write lock; every other field is an owner.

local function owner()
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if field ~= 'seq' and field ~= 'token' and field ~= 'mode' then return field end
  end
  return nil
end
