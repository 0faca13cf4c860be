-- The usual case, a name that nobody holds or wants to be told of, before anything of the machine
-- is set up; the answer is the time and the token. ARGV: the claim, floor and the least uptime.
if ARGV[3] == '0' then
  local state = redis.call('GET', KEYS[1])
  local last = not state and 0 or string.match(state, '^0\n(%d+)$')
  if last then
    local lease, span = string.match(ARGV[1], '^[^\n]*\n(%d+)\n(%d+)\n')
    local token = math.max(last + 1, now, floor_of(ARGV[2]))
    local forget = math.max(now + lease, token + span - 1)
    local answer = string.format('%.0f\n%.0f', now, token)
    redis.call('SET', KEYS[1], '2\n' .. answer .. '\n' .. ARGV[1],
      'PX', math.floor((forget - now) / 1000) + 1)
    return answer
  end
end
