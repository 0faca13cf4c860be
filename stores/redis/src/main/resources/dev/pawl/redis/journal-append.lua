-- KEYS: the stream. ARGV: how many entries to keep, then fields and values.
redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', unpack(ARGV, 2))
return { 1 }
