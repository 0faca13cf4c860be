-- The usual case, a name that nobody holds or wants to be told of, before anything of the machine
-- is set up. ARGV: the claim, floor and the least uptime.
if ARGV[3] == '0' then
  local state = redis.call('GET', KEYS[1])
  local last = not state and 0 or string.match(state, '^0\n(%d+)$')
  if last then
    local lease, span = string.match(ARGV[1], '^[^\n]*\n(%d+)\n(%d+)\n')
    local token = math.max(last + 1, now, floor_of(ARGV[2]))
    local forget = math.max(now + lease, token + span - 1)
    redis.call('SET', KEYS[1], string.format('2\n%.0f\n%.0f\n', now, token) .. ARGV[1],
      'PX', math.floor((forget - now) / 1000) + 1)
    return { 0, token, tonumber(span), now + lease, now }
  end
end
