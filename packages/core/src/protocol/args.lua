-- Included by scripts that take numbers. Arguments are checked before the first write, because Redis does not roll back.
-- Without `max`, the longest duration: 2^31 ms, about 24.8 days.

local function integer(i, min, max)
  max = max or 2147483648
  local n = tonumber(ARGV[i])
  if not n or n % 1 ~= 0 or n < min or n > max then
    error(string.format('holdfast: ARGV[%d] must be a whole number from %.0f to %.0f', i, min, max))
  end
  -- No `-0`, which Redis cannot count with.
  return n + 0
end
