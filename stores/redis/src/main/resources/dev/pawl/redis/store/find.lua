-- What is known of names, as it is stored, and the time; nothing for a name that is not there.
local replies = { now }
for i = 1, #KEYS do
  load(KEYS[i])
  waiter_at(queue_length())
  replies[i + 1] = existed
    and { last, mark and digits(mark) or '', holders, head, ended, mark_until } or {}
end
return replies
