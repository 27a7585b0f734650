-- Included by scripts that look at KEYS[1]: its owner, and whether it is a lock at all.
--
-- A field with a colon in it is an owner and its value the hold count, holdfast's and Redisson's alike; a field without one is
-- bookkeeping. A hash is a lock by its shape when every owner has a positive count, `mode`, if it is there, is `read` or `write`, and
--   ours       there is a `seq`, and no second tenure: a tenure takes only an absent lock. Other bookkeeping may be there, as
--              whole numbers: `token`, and whatever a later version adds
--   Redisson's the owners are <uuid>:<thread id>, of a read-write lock also with `:write` behind, and in the port to Node.js
--              <uuid>:<uuid>; besides there is at most `mode`
--   a read-write lock's  there is a `side`, `mode` is `write`, and the value of each owner is the time at which its lease ends (read-write/holders.lua)
-- Whatever else stands under the name is an application's data: it is refused before the first write, and never deleted.
--
-- A hash is read whole only while it is small. A larger one can only be a lock that readers share, with a field for each of
-- them: then there is a `side`, or of Java's `mode` is `read`, and a part of the fields is looked at, with the caller's own among them. So neither the data of an
-- application nor a crowd of readers keeps the server from others.
--
-- The tenure is named as the owner; threads beside it have joined it later, as Java's read lock does.
-- Nearly every lock is one tenure's with nothing besides, and is known by that at once; what the others need is made only for them.
-- Returns the owner, or nil, and its fields (of a large hash a part); for what is no lock nil, nil and an error reply.

-- `self` is the asking tenure, or ''.
local function owner(self)
  local size = redis.pcall('HLEN', KEYS[1])
  if size == 0 then return nil, {} end
  local isSmall = type(size) == 'number' and size <= 128
  local flat = isSmall and redis.pcall('HGETALL', KEYS[1]) or {}
  if
    #flat == 4
    and flat[3] == 'seq'
    and string.find(flat[1], ':', 1, true)
    and string.find(flat[2], '^[1-9]%d*$')
    and string.find(flat[4], '^%d+$')
  then
    return flat[1], { [flat[1]] = flat[2], seq = flat[4] }
  end

  local NOT_A_LOCK = { err = 'NOTALOCK this key is not a lock' }

  local function isThread(field)
    -- Most fields are no uuid, and this shows at once.
    if string.sub(field, 9, 9) ~= '-' then return false end
    local uuid, thread = string.match(field, '^(%x+%-%x+%-%x+%-%x+%-%x+):(.*)$')
    if not uuid or #uuid ~= 36 then return false end
    return string.find(thread, '^%-?%d+$')
      or string.find(thread, '^%-?%d+:write$')
      or (#thread == 36 and string.find(thread, '^%x+%-%x+%-%x+%-%x+%-%x+$'))
  end

  local function isBookkeeping(field, value)
    if field == 'mode' then return value == 'read' or value == 'write' end
    if field == 'side' then return value == 'r' or value == 'w' end
    return string.find(value, '^%d+$')
  end

  -- Of a large hash: the fields that decide, and those that a scan comes to first. Some come twice.
  local function someFields()
    local scan = redis.pcall('HSCAN', KEYS[1], 0, 'COUNT', 128)
    if scan.err then return scan end
    local named = redis.pcall('HMGET', KEYS[1], 'mode', 'seq', 'side', self)
    if named.err then return named end
    local some = scan[2]
    for i, field in ipairs({ 'mode', 'seq', 'side', self }) do
      if named[i] then
        some[#some + 1] = field
        some[#some + 1] = named[i]
      end
    end
    return some
  end

  if type(size) == 'table' then
    flat = size
  elseif not isSmall then
    flat = someFields()
  end
  if flat.err then return nil, nil, string.find(flat.err, 'WRONGTYPE', 1, true) and NOT_A_LOCK or flat end
  local tenure, thread
  local fields = {}
  local sound, plain, shared = true, true, false
  for i = 1, #flat, 2 do
    local field, value = flat[i], flat[i + 1]
    fields[field] = value
    if not string.find(field, ':', 1, true) then
      sound = sound and isBookkeeping(field, value)
      plain = plain and field == 'mode'
    else
      sound = sound and string.find(value, '^[1-9]%d*$')
      if isThread(field) then
        thread = thread or field
      else
        shared = shared or (tenure and tenure ~= field)
        tenure = field
      end
    end
  end
  local holder = tenure or thread
  local side = fields.side
  local isOfItsKind = side and fields.mode == 'write' and not thread and not fields.seq or not side and not shared and (fields.seq or plain and not tenure)
  if holder and sound and isOfItsKind and (isSmall or side or fields.mode == 'read') then return holder, fields end
  return nil, nil, NOT_A_LOCK
end
