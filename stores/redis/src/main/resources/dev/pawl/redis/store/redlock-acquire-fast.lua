-- The usual case, a name that nobody holds or wants to be told of, before anything of the machine
-- is set up: the token is what the node asks for, and the lease outlasts it; the answer is the time
-- and the token. ARGV: the claim, floor, the least uptime, what the key lasts, and how far ahead of
-- the clock the token may be.
if ARGV[3] == '0' then
  local token = floor_of(ARGV[2])
  local state = redis.call('GET', KEYS[1])
  local last = not state and 0 or string.match(state, '^0\n(%d+)$')
  if last and tonumber(last) < token and token >= now and token <= now + ARGV[5] then
    redis.call('SET', KEYS[1], '2\n' .. ARGV[2] .. '\n' .. ARGV[1] .. '\n' .. since, 'PX', ARGV[4])
    return since .. '\n' .. ARGV[2]
  end
end
