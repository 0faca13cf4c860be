-- What is known of names, as it is stored, and the time; nothing for a name that is not there.
local replies = { now }
for i = 1, #KEYS do
  load(KEYS[i])
  local waiters = {}
  for place = 1, #claims do
    waiters[place] = waiter_at(place)
  end
  replies[i + 1] = existed
    and { last, mark and digits(mark) or '', holders, waiters, ended, mark_until } or {}
end
return replies
