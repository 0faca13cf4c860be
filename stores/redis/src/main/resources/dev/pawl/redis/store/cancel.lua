load(KEYS[1])
local reply = cancel(ARGV[1], ARGV[2])
grant_queue()
save()
return { reply }
