-- ARGV: as ask() has them, then floor and the least uptime.
if is_too_young(ARGV[12]) then
  return { 5 }
end
local waits = ARGV[7] == '1'
ARGV[7] = '0'
load(KEYS[1])
set_floor(ARGV[11])
local reply = ask(1)
if reply[1] == 2 and waits then
  remember_interest(ARGV[1])
elseif reply[1] == 0 then
  forget_interest(node_of(ARGV[1]))
  if tonumber(ARGV[2]) < tonumber(ARGV[3]) then
    tell_first()
  end
end
save()
return reply
