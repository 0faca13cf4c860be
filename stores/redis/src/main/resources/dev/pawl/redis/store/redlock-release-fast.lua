-- The usual case, a holder alone that was not passed on, before anything of the machine is set up,
-- the clock included: the key goes by itself at the lease's end. The token is ahead of the clock
-- for a moment, and is remembered for as long.
-- ARGV: as finish() has them, and the millisecond at which the clock is past the token.
if ARGV[3] == '' and ARGV[4] == '0' then
  local state = redis.call('GET', KEYS[1])
  local alone = '2\n' .. ARGV[2] .. '\n' .. ARGV[1] .. '\n'
  if state and string.sub(state, 1, #alone) == alone then
    redis.call('SET', KEYS[1], '0\n' .. ARGV[2], 'PXAT', ARGV[5])
    return 0
  end
end
