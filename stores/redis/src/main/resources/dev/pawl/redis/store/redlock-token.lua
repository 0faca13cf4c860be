-- Gives a holder the token that was agreed on, if it still holds. ARGV: claim, token.
-- A token of ours that was higher, and the last, was never told to anybody: it is given back. What
-- a quorum agreed on is higher than every token that was told before.
load(KEYS[1])
local _, holder = find(holders, ARGV[1])
if holder then
  local was_last = holder[3] + holder[4] - 1 == last
  holder[3] = tonumber(ARGV[2])
  local ends = holder[3] + holder[4] - 1
  last = was_last and ends or math.max(last, ends)
end
save()
return { holder and 1 or 0 }
