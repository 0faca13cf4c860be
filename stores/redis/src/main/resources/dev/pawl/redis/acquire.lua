load(KEYS[1])
local reply = ask(1)
save()
return reply
