-- Many names in one call: KEYS[i], and for each claim, permits, lease, actor.
local replies = {}
for i = 1, #KEYS do
  local at = 4 * i - 3
  local claim = ARGV[at]
  replies[i] = { 2 }
  -- A value that somebody else put there has nothing of the claim, and costs the others nothing (I9).
  if pcall(load, KEYS[i]) then
    refresh(claim, tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), ARGV[at + 3])
    grant_queue(claim)
    local _, holder = find(holders, claim)
    if holder then
      replies[i] = grant(holder)
    elseif find(queue, claim) then
      replies[i] = contention(1, claim)
    end
    save()
  end
end
return replies
