-- The usual case, a holder alone that was not passed on, before anything of the machine is set up.
-- Its token is over by the clock, so that the next one is higher without a memory of it (I3).
-- ARGV: as finish() has them.
if ARGV[3] == '' and ARGV[4] == '0' then
  local state = redis.call('GET', KEYS[1])
  local alone = '1\n' .. ARGV[2] .. '\n' .. ARGV[1] .. '\n'
  if state and string.find(state, alone, 1, true) == 1 then
    local used, lease = tonumber(ARGV[2]), string.match(state, '^%d+', #alone + 1)
    if used < now and now < used + lease then
      redis.call('DEL', KEYS[1])
      return { 0 }
    end
  end
end
