load(KEYS[1])
local token, reply = tonumber(ARGV[1]), {}
for i, holder in ipairs(holders) do
  if holder[3] <= token and token <= holder[3] + holder[4] - 1 then
    table.remove(holders, i)
    remember_ended(holder[1])
    signals[#signals + 1] = { holder[1], 'E\n' .. holder[1] }
    reply = { holder[1], holder[7] }
    break
  end
end
grant_queue()
save()
return reply
