-- Who waits: the queue, and the grants that come of it.
local function reached(wanted)
  return wanted and mark and wanted <= mark
end

-- Bids the waiter at a place show life, if it was far back when it was last heard of and keeps
-- somebody near waiting who would fit: it may have died long ago. With it the fair ones between the
-- two; and the other, so that it asks soon whether they did.
local function summon(first, held)
  if head[first][9] <= now + WAITER_ALIVE or held >= head[first][3] then
    return
  end
  local kept_waiting = first
  repeat
    kept_waiting = kept_waiting + 1
    local w = kept_waiting <= FAR_AHEAD and waiter_at(kept_waiting)
    if not w then
      return
    end
  until held + w[2] <= w[3]
  for i = first, kept_waiting do
    local w = head[i]
    if w[9] > now + WAITER_ALIVE and (w[7] or i == kept_waiting) then
      w[9] = now + WAITER_ALIVE
      signals[#signals + 1] = { w[1], 'S\n' .. w[1] }
    end
  end
end

-- Grants from the head whoever fits and has no fair waiter ahead. The one who asks is alive and
-- gets its lease; the others get the claim window, and a message.
local function grant_queue(asking)
  local held = 0
  for _, holder in ipairs(holders) do
    held = held + holder[2]
  end
  local i = 1
  local w = waiter_at(i)
  while w do
    if held + w[2] <= w[3] then
      table.remove(head, i)
      held = held + w[2]
      local token = math.max(last + 1, now, floor)
      last = token + w[5] - 1
      local lasts = w[4]
      if w[1] ~= asking then
        lasts = math.min(lasts, CLAIM_WINDOW)
        signals[#signals + 1] = {
          w[1],
          string.format('G\n%s\n%.0f\n%.0f\n%.0f\n%.0f', w[1], token, w[5], now + lasts, now),
        }
      end
      holders[#holders + 1] = { w[1], w[2], token, w[5], now, now + lasts, w[10], w[11] }
    elseif w[7] then
      summon(i, held)
      return
    else
      i = i + 1
    end
    w = waiter_at(i)
  end
end
