-- The usual case, a name that nobody uses, before anything of the machine is set up: the claim's
-- text is written behind the time, and is then the state. ARGV: the claim, what the key lasts.
local micros = time[2]
if #micros < 6 then
  micros = string.sub('00000' .. micros, -6)
end
local state = '1\n' .. time[1] .. micros .. '\n' .. ARGV[1]
if redis.call('SET', KEYS[1], state, 'NX', 'PX', ARGV[2]) then
  return { 5, now }
end
