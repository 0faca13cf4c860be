-- Many claims of many names: for each of KEYS how many claims, and for each of these its id, permits,
-- lease and actor. A name is read and written once, however many of its claims there are.
local replies, at = {}, 1

-- The grants that are left when the queue was granted stay as they are while nobody gives permits
-- back: it is granted again when somebody did, or is the first to ask.
local function renew(count)
  local granted
  for _ = 1, count do
    local claim, permits = ARGV[at], tonumber(ARGV[at + 1])
    local _, holder = find(holders, claim)
    local fewer = holder and permits < holder[2]
    refresh(claim, permits, tonumber(ARGV[at + 2]), ARGV[at + 3])
    if fewer or not granted then
      grant_queue(claim)
      granted = true
    end
    _, holder = find(holders, claim)
    local ahead = not holder and ahead_of(claim)
    replies[#replies + 1] = holder and grant(holder) or ahead and contention(1, ahead) or { 2 }
    at = at + 4
  end
end

for i = 1, #KEYS do
  local count = tonumber(ARGV[at])
  at = at + 1
  -- A value that somebody else put there has nothing of the claims, and costs the others nothing (I9).
  if pcall(load, KEYS[i]) then
    renew(count)
    save()
  else
    for _ = 1, count do
      replies[#replies + 1] = { 2 }
    end
    at = at + 4 * count
  end
end
return replies
