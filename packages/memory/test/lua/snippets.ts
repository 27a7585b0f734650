/** Small scripts whose replies a real server knows: what the language does, and what commands do within it. */

/** By what they are about. KEYS are `a` to `d`, ARGV `12`, `x` and `Grüße`. */
export const snippets: Readonly<Record<string, readonly string[]>> = {
  'numbers as texts': [
    `return { 3 .. '', 1e15 .. '', 123456789012345 .. '', 99999999999999 .. '', 0.1 .. '', 1/3 .. '', -0.5 .. '', 1e-5 .. '', 2^53 .. '', 1e300 .. '' }`,
    `return { 1/0 .. '', -1/0 .. '', tostring(true), tostring(nil), tostring(12), tostring('x') }`,
    `return { string.format('%.0f', 1790000000000123), string.format('%.0f', 2.5), string.format('%.0f', 3.5), string.format('%.0f', -0.4), string.format('%.0f', 1e22) }`,
    `return { string.format('%d', 3.9), string.format('%d', -3.9), string.format('%d', '7'), string.format('%s %s %%', 1.5, 'x') }`,
  ],
  'texts as numbers': [
    `local texts = { '12', ' 12 ', '1e3', '0x10', '-0x10', '.5', '5.', '1e', 'x', '', ' ', '1 2', '+3', '1_0', '0b1', '1e+2', 'infinity', '-inf' }
     local numbers = {}
     for i, text in ipairs(texts) do numbers[i] = tostring(tonumber(text)) end
     return numbers`,
    `return { '10' + 5, '3' * '4', -'2', 10 % 3, -10 % 3, 10 % -3, 5.5 % 2, 2 ^ 10, 7 / 2 * 2 }`,
    `return { tostring(tonumber(nil)), tostring(tonumber(true)), tostring(tonumber({})), tonumber('9007199254740993') }`,
  ],
  comparisons: [
    `return { 1 < 2, 'a' < 'b', 'a' < 'B', '10' < '9', 'ab' > 'a', 1 == '1', '1' == '1', nil == false, 'é' < 'z' }`,
    `return { tostring(nil and 1), tostring(false or nil), tostring(0 and 'zero'), tostring('' or 1), tostring(not nil), tostring(not 0) }`,
    `local function f() return 1, 2, 3 end
     local a, b, c, d = f()
     local e, g = f(), 10
     return { a, b, c, tostring(d), e, g, #{ f(), f() }, select and 1 or 2 }`.replace(', select and 1 or 2', ''),
  ],
  tables: [
    `local t = { 1, 2, nil, 4 } return t`,
    `local t = {} t[1] = 1 t[2] = 2 t[3] = 3 t[3] = nil return { #t, t[2] }`,
    `local t = {} t[3] = 'c' t[2] = 'b' t[1] = 'a' return { #t, t[1], t[2], t[3] }`,
    `local t = { 'a', x = 1, ['y'] = 2, [3] = 'c', 'b' } return { #t, t.x, t.y, t[3] }`,
    `return { unpack({ 1, 2, 3, 4 }, 2, 3) }`,
    `return { #'Grüße', #ARGV[3], #ARGV, #KEYS, ARGV[4] }`,
    `local t = { 1, 2, 3 } local sum = 0 for i = #t, 1, -1 do sum = sum * 10 + t[i] end for i = 5, 1 do sum = 0 end return sum`,
    `return { table.concat({ 1, 'x', 2.5 }, ','), table.concat({}) }`,
    `local fs = {} for i = 1, 3 do fs[i] = function() i = i + 1 return i end end return { fs[1](), fs[1](), fs[2]() }`,
    `local x = 1 local x = x + 1 do local x = x * 10 end return x`,
    `local function count(...) local t = { ... } return #t, (...) end local n = count(1, 2, 3) return n`.replace(
      ', (...)',
      '',
    ),
  ],
  patterns: [
    `return { string.find('a:b:c', ':', 1, true), string.find('a:b:c', ':', 3, true) }`,
    `return { string.find('x+y', '+', 1, true), tostring(string.find('xy', 'z')), string.find('xyz', '', 10) and 1 or 0 }`,
    `return { string.match('client:7', '([^:]+):[^:]+$'), string.match('owner:client:7', '([^:]+):[^:]+$'), tostring(string.match('7', '([^:]+):[^:]+$')) }`,
    `return { string.match('170 20000 write ', '^(%d+) (%d+) ') }`,
    `return { string.match('0b8f1c5e-7a52-4f0e-9a3b-5d1c8f2e4a60:12', '^(%x+%-%x+%-%x+%-%x+%-%x+):(.*)$') }`,
    `return { string.find('-12', '^%-?%d+$'), tostring(string.find('1-2', '^%-?%d+$')), string.find('007', '^[1-9]%d*$') and 1 or 0 }`,
    `return { string.match('  a b', '%s*(%S+)%s*(.-)$') }`,
    `return { string.match('a.b', '^(.-)%.(.+)$') }`,
    `return { string.match('[x]', '%[(.)%]'), string.match('a^b', '[%^]'), string.match('a-b', '[a%-]+'), string.match('AbC', '%u%l%u') }`,
    `local found = {} for word in string.gmatch(' one  two three', '%S+') do found[#found + 1] = word end return found`,
    `return { string.sub('hello', 2, 3), string.sub('hello', -3), string.sub('hello', 0), string.sub('hello', 2, -2), string.sub('hello', 4, 2), string.sub('Grüße', 1, 3) }`,
  ],
  'replies of scripts': [
    `return { 1.9, -1.9, true, 'x', false, 'behind' }`,
    `return { 1, { 2, { 3, 'x' } } }`,
    `return { ok = 'FINE' }`,
    `return { err = 'NOTALOCK this is none' }`,
    `return nil`,
    `return false`,
    `return 'Grüße'`,
    `local t = { 'a' } t.x = 1 return t`,
  ],
  'replies of commands': [
    `return { type(redis.call('SET', KEYS[1], 'x')), redis.call('SET', KEYS[1], 'x').ok, type(redis.call('GET', KEYS[1])), type(redis.call('GET', KEYS[2])), ('x').err and 1 or 0 }`.replace(
      `('x').err`,
      `ARGV[2].err`,
    ),
    `redis.call('HSET', KEYS[1], 'f', 1.5, 'g', 1e15, 'h', 1790000000000123, 'i', ARGV[3], 'j', 3.0) return redis.call('HGETALL', KEYS[1])`,
    `return { redis.call('HSET', KEYS[1], 'f', 1, 'g', 2), redis.call('HSET', KEYS[1], 'f', 2, 'i', 3), redis.call('HGET', KEYS[1], 'f'), redis.call('HLEN', KEYS[1]), redis.call('HKEYS', KEYS[1]) }`,
    `redis.call('HSET', KEYS[1], 'f', 1, 'g', 2) return { redis.call('HMGET', KEYS[1], 'f', 'z', 'g'), redis.call('HDEL', KEYS[1], 'f', 'z', 'g'), redis.call('EXISTS', KEYS[1], KEYS[1]), redis.call('HEXISTS', KEYS[1], 'f') }`,
    `redis.call('ZADD', KEYS[1], 2, 'b', 1, 'a', '1790000000000123', 'c') return { redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES'), redis.call('ZRANGE', KEYS[1], -1, -1), redis.call('ZRANGE', KEYS[1], 5, 9), redis.call('ZSCORE', KEYS[1], 'c'), redis.call('ZRANK', KEYS[1], 'b'), redis.call('ZRANK', KEYS[1], 'z'), redis.call('ZCARD', KEYS[1]), redis.call('ZCOUNT', KEYS[1], 2, '+inf') }`,
    `redis.call('ZADD', KEYS[1], 2, 'b') return { redis.call('ZADD', KEYS[1], 'NX', 1, 'b', 3, 'c'), redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES') }`,
    `redis.call('ZADD', KEYS[1], 2, 'b', 1.5, 'a') return { redis.call('ZPOPMIN', KEYS[1]), redis.call('ZPOPMIN', KEYS[1]), redis.call('ZPOPMIN', KEYS[1]), redis.call('EXISTS', KEYS[1]) }`,
    `redis.call('SET', KEYS[1], 5, 'PX', 60000) return { redis.call('INCRBY', KEYS[1], 3), redis.call('DECRBY', KEYS[1], 10), redis.call('PTTL', KEYS[1]) > 0, redis.call('SET', KEYS[1], 'z', 'KEEPTTL', 'GET'), redis.call('PTTL', KEYS[1]) > 0, redis.call('PERSIST', KEYS[1]), redis.call('PERSIST', KEYS[1]), redis.call('PTTL', KEYS[1]), redis.call('PTTL', KEYS[2]) }`,
    `redis.call('SET', KEYS[1], ARGV[3]) return { redis.call('STRLEN', KEYS[1]), redis.call('PEXPIRE', KEYS[1], 0), redis.call('EXISTS', KEYS[1]), redis.call('PEXPIRE', KEYS[1], 100), redis.call('DEL', KEYS[1], KEYS[2]) }`,
    `redis.call('SET', KEYS[1], 1) return { redis.call('PEXPIREAT', KEYS[1], 32503680000000), redis.call('PTTL', KEYS[1]) > 1e11, redis.call('PEXPIREAT', KEYS[1], 1), redis.call('EXISTS', KEYS[1]) }`,
    `return { redis.call('PUBLISH', 'nobody', 'x'), redis.call('PUBSUB', 'NUMSUB', 'nobody'), #redis.call('TIME'), type(redis.call('TIME')[1]) }`,
    `redis.call('HSET', KEYS[1], 'f', 1) return { redis.call('HSCAN', KEYS[1], 0, 'COUNT', 128), redis.call('HRANDFIELD', KEYS[1], 5), redis.call('HRANDFIELD', KEYS[2], 5) }`,
  ],
  refusals: [
    `redis.call('SET', KEYS[1], 'x') return redis.pcall('HGET', KEYS[1], 'f').err`,
    `redis.call('SET', KEYS[1], 'x') return redis.call('ZADD', KEYS[1], 1, 'a')`,
    `redis.call('SET', KEYS[1], 'x') return redis.pcall('INCRBY', KEYS[1], 1).err`,
    `return { redis.pcall('PEXPIRE', KEYS[1], 1.5).err, redis.pcall('PEXPIRE', KEYS[1], 'x').err, redis.pcall('SET', KEYS[1], 1, 'PX', 0).err, redis.pcall('SET', KEYS[1], 1, 'QX').err }`,
    `return { redis.pcall('ZADD', KEYS[1], 'x', 'a').err, redis.pcall('ZADD', KEYS[1], 1, 'a', 2).err, redis.pcall('HSET', KEYS[1], 'a', 1, 'b').err, redis.pcall('ZRANGE', KEYS[1], 0, 'x').err }`,
    `return type(redis.pcall('GET').err)`,
    `return type(redis.pcall('HMGET', KEYS[1], {}).err)`,
  ],
  errors: [
    `local t = nil return t.x`,
    `return 1 .. {}`,
    `return 1 + {}`,
    `return 'x' + 1`,
    `return 1 < 'x'`,
    `return {} < {}`,
    `return #5`,
    `local n = 5 return n.err`,
    `local f = nil return f()`,
    `error('holdfast: refused')`,
    `return string.find(nil, 'x')`,
    `return string.format('%d', 'x')`,
    `return math.floor(nil)`,
    `for i = 'x', 2 do end`,
    `return ipairs(nil)`,
    `return unpack(nil)`,
    `local t = {} t[nil] = 1`,
  ],
};
