load(KEYS[1])
local held = finish(1)
tell_first()
save()
return held and 0 or 1
