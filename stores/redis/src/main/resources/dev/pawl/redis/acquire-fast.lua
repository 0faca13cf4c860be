-- The usual case, a name that nobody uses, before anything of the machine is set up: the claim's
-- text is written behind the time, and is then the state; the time is the answer.
-- ARGV: the claim, what the key lasts.
local micros = time[2]
if #micros < 6 then
  micros = string.sub('00000' .. micros, -6)
end
local since = time[1] .. micros
if redis.call('SET', KEYS[1], '1\n' .. since .. '\n' .. ARGV[1], 'NX', 'PX', ARGV[2]) then
  return since
end
