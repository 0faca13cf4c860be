-- The newest entries of a stream. ARGV: limit.
return redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', ARGV[1])
