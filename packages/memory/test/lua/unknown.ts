/** What the Lua in memory does not know, each with how it says so: an error that no script can catch, and no client can take for an answer. */

const commands: readonly [source: string, unknown: string][] = [
  ["return redis.call('GEOADD', KEYS[1], 1, 1, 'x')", 'the command GEOADD'],
  ["return redis.pcall('GEOADD', KEYS[1], 1, 1, 'x')", 'the command GEOADD'],
  ["return redis.pcall('SET', KEYS[1], 1, 'PX', 5, 'NX')", 'the option NX'],
  ["return redis.pcall('PEXPIRE', KEYS[1], 5, 'NX')", 'PEXPIRE with 3 arguments'],
  ["return redis.pcall('PEXPIRE', KEYS[1], 5, 'GT')", 'PEXPIRE with 3 arguments'],
  ["return redis.pcall('ZADD', KEYS[1], 'XX', 1, 'a')", 'the option XX of ZADD'],
  ["return redis.pcall('ZADD', KEYS[1], 'gt', 1, 'a')", 'the option gt of ZADD'],
  ["return redis.pcall('ZADD', KEYS[1], 'NX', 'CH', 1, 'a')", 'the option CH of ZADD'],
  ["return redis.pcall('ZRANGE', KEYS[1], 0, -1, 'REV')", 'the option REV'],
  ["return redis.pcall('ZRANGE', KEYS[1], 0, 1, 'BYSCORE')", 'the option BYSCORE'],
  ["return redis.pcall('ZCOUNT', KEYS[1], '(1', 2)", 'a score that is left out itself'],
  ["return redis.pcall('ZPOPMIN', KEYS[1], 2)", 'ZPOPMIN with 2 arguments'],
  ["return redis.pcall('HRANDFIELD', KEYS[1], 2, 'WITHVALUES')", 'HRANDFIELD with 3 arguments'],
  ["return redis.pcall('SET', KEYS[1], 1, 'EX', 5)", 'the option EX'],
  ["return redis.pcall('HRANDFIELD', KEYS[1])", 'HRANDFIELD without a count'],
  ["return redis.pcall('HRANDFIELD', KEYS[1], -2)", 'HRANDFIELD that draws fields twice'],
  ["return redis.pcall('HSCAN', KEYS[1], 7)", 'HSCAN that goes on'],
  ["return redis.pcall('HSCAN', KEYS[1], 0, 'MATCH', 'x')", 'the option MATCH'],
  ["return redis.pcall('PUBSUB', 'CHANNELS')", 'PUBSUB CHANNELS'],
  ["return redis.pcall('PEXPIRE', KEYS[1], '9223372036854775807')", 'a whole number beyond 2^53'],
];

const take = 'local free = 5 local function take() free = free - 2 return 1 end';
const late = 'free beside a call, which may change it';

const language: readonly [source: string, unknown: string][] = [
  ["return string.rep('x', 3)", 'string.rep'],
  ["return redis.sha1hex('x')", 'redis.sha1hex'],
  ['local s = string return 1', 'the library string as a value'],
  ['local m = { math } return 1', 'the library math as a value'],
  ["return redis['call']('GET', KEYS[1])", 'the library redis as a value'],
  ["return string['rep']('x', 3)", 'the library string as a value'],
  ['string.foo = 1', 'the library string as a value'],
  ["table['foo'] = 1", 'the library table as a value'],
  ['return math.ceil(1.5)', 'math.ceil'],
  ['while true do return 1 end', 'WhileStatement'],
  ['for i = 1, 2 do break end', 'BreakStatement'],
  ['return os.time()', 'the global os'],
  ['local a, b = 1, 2 a, b = b, a return values', 'the global values'],
  ['for i = 1, 2 do return at end', 'the global at'],
  ['for _, x in ipairs(KEYS) do return control end', 'the global control'],
  ['x = 1', 'a global variable: x'],
  ["return ('x'):len()", 'a call of a method'],
  ["return string.match('a', '%f[a]')", 'the pattern %f[a]'],
  ["return string.match('a', '(a')", 'the pattern (a'],
  ["return string.match('a', 'a)')", 'the pattern a)'],
  ["return string.match('a', '[z-a]')", 'the pattern [z-a]'],
  ["return string.match('a', 'a%')", 'the pattern %'],
  ["return string.format('%5d', 1)", 'string.format with %5'],
  ['local t = { 1, nil, 3 } return #t', 'the length of a table with holes'],
  ["error('x', 0)", 'an error with a level'],
  ['error(nil)', 'an error of a nil'],
  ['error(true)', 'an error of a boolean'],
  ['error({})', 'an error of a table'],
  ["return table.concat({ 1, nil, 3 }, ',')", 'the length of a table with holes'],
  ["return table.concat({ 1, 2, 3 }, ',', 2)", 'table.concat of a range'],
  [`${take} return free + take()`, late],
  [`${take} return free < 1 + take()`, late],
  [`${take} return free == take()`, late],
  [`${take} local t = {} t[free] = take() return t`, late],
  [`${take} return { [free] = take() }`, late],
  ['local t = {} local function new() t = {} return 1 end return t[new()]', 't beside a call, which may change it'],
  [
    'local t = {} local function new() t = {} return 1 end t.x = new() return t',
    't beside a call, which may change it',
  ],
  ["return { 'a', x = 1 }", 'a table with items and fields'],
  ['return (tonumber(1))', 'several values in parentheses of their own'],
  ['local function f() return 1, 2 end return { 0; (f()) }', 'several values in parentheses of their own'],
  ['local function f(...) return (...) end return f(1, 2)', 'several values in parentheses of their own'],
  ['local i, t = 1, {} i, t[i] = 2, 3', 'several assignments, one to a field'],
];

/** Errors of JavaScript, which say nothing about the script. */
const own: readonly [source: string, unknown: string][] = [
  ['return +', 'SyntaxError: [1:7]'],
  ['local function f() return 1 + f() end return f()', 'RangeError: Maximum call stack size exceeded'],
  ['local nextItem = ipairs(KEYS) return nextItem(5, 0)', 'TypeError: list.get is not a function'],
];

export const unknownThings = [...commands, ...language, ...own];
