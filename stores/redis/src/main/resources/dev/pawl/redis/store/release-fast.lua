-- The usual case, a holder alone that was not passed on, before anything of the machine is set up,
-- the clock included: the key goes by itself at the lease's end. The token is a reading of the
-- clock that has passed, so that the next one is higher without a memory of it (I3).
-- ARGV: as finish() has them.
local state
if ARGV[3] == '' and ARGV[4] == '0' then
  state = redis.call('GET', KEYS[1])
  local alone = '1\n' .. ARGV[2] .. '\n' .. ARGV[1] .. '\n'
  if state and string.sub(state, 1, #alone) == alone then
    redis.call('DEL', KEYS[1])
    return 0
  end
end
