-- The store's clock (I12), as the server tells it: seconds and microseconds. Tests put another in
-- its place.
local time = redis.call('TIME')
-- The clock as one number, in microseconds.
local now = time[1] * 1000000 + time[2]
return { now }
