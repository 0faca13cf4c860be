load(KEYS[1])
local held = finish(1)
tell_first(ARGV[1])
save()
return held and 0 or 1
