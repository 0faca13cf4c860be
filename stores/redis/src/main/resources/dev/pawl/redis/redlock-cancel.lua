load(KEYS[1])
local reply = cancel(ARGV[1], ARGV[2])
forget_interest(node_of(ARGV[1]))
if reply == 1 then
  tell_first()
end
save()
return { reply }
