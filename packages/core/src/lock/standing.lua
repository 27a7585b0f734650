-- Included by scripts of one tenure: its hold count of KEYS[1], or nil, and its last step. Whatever else stands there, even
-- a key of another type, does not concern it: its hold was taken away.

local function standing()
  local state = redis.pcall('HMGET', KEYS[1], ARGV[1], 'seq')
  if state.err then
    if string.find(state.err, 'WRONGTYPE', 1, true) then return nil, 0 end
    return redis.call('HMGET', KEYS[1], ARGV[1], 'seq')
  end
  return tonumber(state[1]), tonumber(state[2]) or 0
end
