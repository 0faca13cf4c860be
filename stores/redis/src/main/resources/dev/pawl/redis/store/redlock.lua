-- What Redlock adds to the machine, on each of its servers. There is no queue: who was refused and
-- would wait is remembered as interested, and the first of them is told when the name is free.

-- A server that started a moment ago may have forgotten whom it granted.
local function is_too_young(seconds)
  if tonumber(seconds) == 0 then
    return false
  end
  local uptime = string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)')
  return tonumber(uptime) < tonumber(seconds)
end

local function forget_interest(node)
  local kept = {}
  for _, one in ipairs(interested or {}) do
    if one[1] ~= node and one[2] > now then
      kept[#kept + 1] = one
    end
  end
  interested = #kept > 0 and kept or false
end

local function remember_interest(claim)
  forget_interest(node_of(claim))
  interested = interested or {}
  interested[#interested + 1] = { node_of(claim), now + WAITER_ALIVE }
end

-- Tells the first that a claim has ended. Which one it was is in the message, the same on all servers,
-- so that the messages of one end can be counted together.
local function tell_first(ended_claim)
  if interested then
    signals[#signals + 1] = { interested[1][1], 'C\n' .. ended_claim }
    forget_interest(interested[1][1])
  end
end
