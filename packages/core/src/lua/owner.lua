-- Included by scripts that look at KEYS[1]: who owns it, and whether it is a lock at all.
--
-- A field with a colon in it is an owner and its value the hold count, holdfast's and Redisson's alike; a field without one is
-- bookkeeping. A hash is a lock by its shape when every owner has a positive count and
--   ours       there is a `seq`. Other bookkeeping may be there: `token`, and whatever a later version adds
--   Redisson's the owners are <uuid>:<thread id>, of a read-write lock also with `:write` behind, and besides there is at most `mode`
-- Whatever else stands under the name is somebody's data: it is refused before the first write, and never deleted.
--
-- Of several owners the first is named: a tenure takes only an absent lock, so whatever else is in its hash has joined it
-- later, as Java's read lock does.
-- Returns the owner, or nil, and all fields; for what is no lock nil, nil and an error reply.

local function isThread(field)
  local uuid, rest = string.match(field, '^(%x+%-%x+%-%x+%-%x+%-%x+):%-?%d+(.*)$')
  return uuid and #uuid == 36 and (rest == '' or rest == ':write')
end

local function owner()
  local notALock = redis.error_reply('NOTALOCK this key is not a lock')
  local flat = redis.pcall('HGETALL', KEYS[1])
  if flat.err then return nil, nil, string.find(flat.err, 'WRONGTYPE', 1, true) and notALock or flat end
  local holder
  local fields = {}
  local countsOnly, threadsOnly = true, true
  for i = 1, #flat, 2 do
    local field, value = flat[i], flat[i + 1]
    fields[field] = value
    if string.find(field, ':', 1, true) then
      holder = holder or field
      countsOnly = countsOnly and string.find(value, '^[1-9]%d*$')
      threadsOnly = threadsOnly and isThread(field)
    elseif field ~= 'mode' then
      threadsOnly = false
    end
  end
  local isLock = holder and countsOnly and (threadsOnly or string.find(fields.seq or '', '^%d+$'))
  if isLock or #flat == 0 then return holder, fields end
  return nil, nil, notALock
end
