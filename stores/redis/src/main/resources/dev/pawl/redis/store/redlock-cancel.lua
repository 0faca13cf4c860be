-- ARGV: claim, late, and whether its node goes on waiting.
load(KEYS[1])
local reply = cancel(ARGV[1], ARGV[2])
forget_interest(node_of(ARGV[1]))
if reply == 1 then
  tell_first(ARGV[1])
end
if ARGV[3] == '1' then
  remember_interest(ARGV[1])
end
save()
return { reply }
