-- The usual case, a holder alone that was not passed on, before anything of the machine is set up,
-- the clock included: the key goes by itself at the lease's end. The token is ahead of the clock
-- for a moment, and is remembered for as long.
-- ARGV: as finish() has them, and the millisecond at which the clock is past the token.
if ARGV[3] == '' and ARGV[4] == '0' then
  local state = redis.call('GET', KEYS[1])
  local alone = '2\n' .. ARGV[2] .. '\n' .. ARGV[1] .. '\n'
  if state and string.sub(state, 1, #alone) == alone then
    local free = '0\n' .. ARGV[2]
    if redis.pcall('SET', KEYS[1], free, 'PXAT', ARGV[5]).err then
      redis.call('PEXPIRE', KEYS[1], 1000) -- Its memory may be full: see set() in state.lua.
      redis.call('SET', KEYS[1], free, 'PXAT', ARGV[5])
    end
    return 0
  end
end
