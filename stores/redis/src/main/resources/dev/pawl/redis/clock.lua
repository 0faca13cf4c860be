-- The store's clock (I12), as the server tells it and in microseconds. Tests put another in its place.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
