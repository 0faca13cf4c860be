-- What a claim asks for, and what it is told.
-- Reads a claim: the waiter that it would be, and whether it waits.
local function request(text)
  local claim, lease, span, permits, capacity, wanted, waits, fair, actor, label =
    string.match(text, '^' .. CLAIM)
  return {
    claim, tonumber(permits), tonumber(capacity), tonumber(lease), tonumber(span),
    tonumber(wanted) or false, fair == '1', now, false, label, actor,
  }, waits == '1'
end

local function grant(holder)
  return { 0, holder[3], holder[4], holder[6], now }
end

local function contention(kind, ahead)
  local first = holders[1]
  if not first then
    return { kind, '', now, now, 0, ahead, now }
  end
  local ends = first[6]
  for _, holder in ipairs(holders) do
    ends = math.min(ends, holder[6])
  end
  return { kind, first[7], first[5], ends, #holders, ahead, now }
end

-- Extends the claim wherever it is; false if it is nowhere. A lease is never made shorter (I2).
local function refresh(claim, permits, lease, actor)
  local _, holder = find(holders, claim)
  if holder then
    holder[2] = math.min(holder[2], permits)
    holder[6] = math.max(holder[6], now + lease)
    holder[8] = actor
    return true
  end
  return show_life(claim, actor)
end

local function ask(waiter, waits)
  local claim = waiter[1]
  if find(ended, claim) then
    grant_queue()
    return { 4 }
  end
  local known = refresh(claim, waiter[2], waiter[4], waiter[11])
  if not known then
    if reached(waiter[6]) then
      grant_queue()
      return { 3, mark }
    end
    waiter[9] = now + alive(queue_length())
    enqueue(waiter)
  end
  grant_queue(claim)
  local _, holder = find(holders, claim)
  if holder then
    return grant(holder)
  end
  -- A claim that waits keeps its place: this copy was sent before it was ready to wait.
  if known then
    return contention(1, ahead_of(claim))
  end
  local ahead = queue_length() - 1
  if not waits then
    unqueue(claim)
  end
  return contention(waits and 1 or 2, ahead)
end
