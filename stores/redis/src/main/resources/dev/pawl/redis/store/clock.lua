-- The store's clock (I12), as the server tells it: seconds and microseconds. Tests put another in
-- its place.
local time = redis.call('TIME')
