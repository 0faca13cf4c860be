-- ARGV: as finish() has them, the claim, floor and the least uptime.
local claim = request(ARGV[5])
load(KEYS[1])
finish(1)
forget_interest(node_of(claim[1]))
local reply
if interested or is_too_young(ARGV[7]) then
  tell_first(ARGV[1])
  remember_interest(claim[1])
  reply = contention(2, 0)
else
  floor = floor_of(ARGV[6])
  reply = ask(claim, false)
end
save()
return reply
