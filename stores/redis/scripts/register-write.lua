-- Writes a register if it still has the version that was seen.
-- KEYS: the register. ARGV: the version, or 0 if there is to be none; the text to write, which begins
-- with the next one. Versions are compared as text: they may exceed a double.
local before = redis.call('GET', KEYS[1])
local version = '0'
if before then
  version = string.match(before, '^(%d+)\n')
  if not version then
    error('PAWLDATA the value is not one of ours')
  end
end
if version ~= ARGV[1] then
  return { 0, before }
end
redis.call('SET', KEYS[1], ARGV[2])
return { 1 }
