load(KEYS[1])
finish(1)
local reply = ask(request(ARGV[5]))
save()
return reply
