-- KEYS: the stream for all, the stream of the name.
-- ARGV: how many entries to keep in each, the seconds that the name's stream is kept, and the
-- entry's fields and values.
local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', unpack(ARGV, 4))
redis.call('XADD', KEYS[2], 'MAXLEN', ARGV[2], id, unpack(ARGV, 4))
redis.call('EXPIRE', KEYS[2], ARGV[3])
return { 1 }
