-- The usual case, a name that nobody uses, before anything of the machine is set up: the claim's
-- text is written behind the time, and is then the state; the time is the answer.
-- ARGV: the claim, what the key lasts.
if redis.call('SET', KEYS[1], '1\n' .. since .. '\n' .. ARGV[1], 'NX', 'PX', ARGV[2]) then
  return since
end
