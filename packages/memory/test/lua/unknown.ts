/** What the Lua in memory does not know, each with how it says so: an error that no script can catch, and no client can take for an answer. */

const commands: readonly [source: string, unknown: string][] = [
  ["return redis.call('GEOADD', KEYS[1], 1, 1, 'x')", 'the command GEOADD'],
  ["return redis.pcall('GEOADD', KEYS[1], 1, 1, 'x')", 'the command GEOADD'],
];

const language: readonly [source: string, unknown: string][] = [
  ["return string.rep('x', 3)", 'string.rep'],
  ["return redis.sha1hex('x')", 'redis.sha1hex'],
  ['return os.time()', 'the global os'],
  ['local a, b = 1, 2 a, b = b, a return values', 'the global values'],
  ['for i = 1, 2 do return at end', 'the global at'],
  ['for _, x in ipairs(KEYS) do return control end', 'the global control'],
  ['x = 1', 'a global variable: x'],
  ["return ('x'):len()", 'a call of a method'],
  ["return string.match('a', '%f[a]')", 'the pattern %f[a]'],
  ["return string.format('%5d', 1)", 'string.format with %5'],
  ['local t = { 1, nil, 3 } return #t', 'the length of a table with holes'],
  ["return { 'a', x = 1 }", 'a table with items and fields'],
  ['return (tonumber(1))', 'several values in parentheses of their own'],
  ['local function f() return 1, 2 end return { 0; (f()) }', 'several values in parentheses of their own'],
  ['local function f(...) return (...) end return f(1, 2)', 'several values in parentheses of their own'],
  ['local i, t = 1, {} i, t[i] = 2, 3', 'several assignments, one to a field'],
];

export const unknownThings = [...commands, ...language];
