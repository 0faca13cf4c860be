-- The registers of all keys, in their order: the text that was written, or nothing.
local found = {}
for i = 1, #KEYS do
  found[i] = redis.call('GET', KEYS[i])
  if found[i] and not string.match(found[i], '^%d+\n') then
    error('PAWLDATA the value is not one of ours')
  end
end
return found
