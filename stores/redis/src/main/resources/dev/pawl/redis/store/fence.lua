-- Admits a token that is not lower than the highest seen, and sets the value with it.
-- KEYS: value, highest token. ARGV: token, value. Compared as text: a token may exceed a double.
local function is_lower(a, b)
  if #a ~= #b then
    return #a < #b
  end
  return a < b
end
local seen = redis.call('GET', KEYS[2])
if seen and is_lower(ARGV[1], seen) then
  return { 0, seen }
end
redis.call('SET', KEYS[2], ARGV[1])
if #ARGV > 1 then
  redis.call('SET', KEYS[1], ARGV[2])
end
return { 1, ARGV[1] }
