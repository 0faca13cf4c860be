load(KEYS[1], state)
local held = finish(1)
grant_queue()
save()
return held and 0 or 1
