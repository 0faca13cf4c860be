-- The newest entries, of one name or (with the name empty) of all. ARGV: name, limit.
local CHUNK = 500
local found, before, limit = {}, '+', tonumber(ARGV[2])
while #found < limit do
  local chunk = redis.call('XREVRANGE', KEYS[1], before, '-', 'COUNT', CHUNK)
  for _, entry in ipairs(chunk) do
    local fields = entry[2]
    if #found < limit and (ARGV[1] == '' or fields[2] == ARGV[1]) then
      found[#found + 1] = { entry[1], fields }
    end
  end
  if #chunk < CHUNK then
    break
  end
  before = '(' .. chunk[#chunk][1]
end
return found
