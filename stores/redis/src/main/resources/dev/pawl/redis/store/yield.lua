-- Tells where a claim stands; it takes nothing, and gets no more time than it has.
local function look(waiter)
  local claim = waiter[1]
  grant_queue()
  local _, holder = find(holders, claim)
  if holder then
    return grant(holder)
  end
  if find(ended, claim) then
    return { 4 }
  end
  local ahead = ahead_of(claim)
  if ahead then
    return contention(1, ahead)
  end
  if reached(waiter[6]) then
    return { 3, mark }
  end
  return contention(2, queue_length())
end

load(KEYS[1])
-- The end of a tick keeps the name only if it ended it; a late copy of it takes nothing (I5).
local reply
if finish(1) or not string.match(ARGV[3], '^%d+:%d+$') then
  reply = ask(request(ARGV[5]))
else
  reply = look((request(ARGV[5])))
end
save()
return reply
