-- ARGV: the claim, floor and the least uptime.
if is_too_young(ARGV[3]) then
  return { 6 }
end
local claim, waits = request(ARGV[1])
load(KEYS[1])
floor = floor_of(ARGV[2])
local reply = ask(claim, false)
if reply[1] == 2 and waits then
  remember_interest(claim[1])
elseif reply[1] == 0 then
  forget_interest(node_of(claim[1]))
  if claim[2] < claim[3] then
    tell_first(claim[1])
  end
end
save()
return reply
