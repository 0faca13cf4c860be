load(KEYS[1])
finish(1)
local reply = ask(5)
save()
return reply
