-- The least token to give out. A claim's tokens are to be the same on all servers: the node says from
-- where on. What it says is its view of the servers' clocks; one that is far ahead of ours is not
-- believed.
local function floor_of(argument)
  local wanted = tonumber(argument)
  return wanted <= now + 10000000 and wanted or 0
end
