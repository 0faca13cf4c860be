-- ARGV: as finish() has them, as ask() has them, then floor and the least uptime.
load(KEYS[1])
local node = node_of(ARGV[5])
finish(1)
forget_interest(node)
local reply
if interested or is_too_young(ARGV[16]) then
  tell_first()
  remember_interest(ARGV[5])
  reply = contention(2, ARGV[5])
else
  ARGV[11] = '0'
  set_floor(ARGV[15])
  reply = ask(5)
end
save()
return reply
