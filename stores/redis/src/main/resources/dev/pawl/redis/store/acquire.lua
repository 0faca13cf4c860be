load(KEYS[1])
local reply = ask(request(ARGV[1]))
save()
return reply
