-- ARGV: the mark that was seen, and the one from now on or nothing.
load(KEYS[1])
local reply = 1
if mark and mark == tonumber(ARGV[1]) then
  mark = tonumber(ARGV[2]) or false
  mark_until = mark and mark_until or 0
  reply = 0
end
grant_queue()
save()
return { reply }
