-- The store's clock, in microseconds (I12). Tests put another one in its place.
local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
