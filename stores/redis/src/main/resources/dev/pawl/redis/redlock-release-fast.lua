-- The usual case, a holder alone, before anything of the machine is set up. The last token is ahead
-- of the clock for a moment, and is remembered for as long. ARGV: as finish() has them.
if ARGV[3] == '' and ARGV[4] == '0' then
  local state = redis.call('GET', KEYS[1])
  local since, token, claim, lease, span =
    string.match(state or '', '^2\n(%d+)\n(%d+)\n([^\n]*)\n(%d+)\n(%d+)\n')
  if claim == ARGV[1] and now < since + lease then
    local forget, used = token + span - 1, tonumber(ARGV[2])
    if used >= tonumber(token) and used < forget then
      forget = used
    end
    if forget >= now then
      redis.call('SET', KEYS[1], string.format('0\n%.0f', forget),
        'PX', math.floor((forget - now) / 1000) + 1)
    else
      redis.call('DEL', KEYS[1])
    end
    return 0
  end
end
