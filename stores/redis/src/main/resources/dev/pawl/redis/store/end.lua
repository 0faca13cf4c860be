-- How a claim ends.
-- Remembers it as ended; of too many, the first is forgotten.
local function remember_ended(claim)
  if not find(ended, claim) then
    if #ended == MOST_ENDED then
      table.remove(ended, 1)
    end
    ended[#ended + 1] = { claim, now + ENDED }
  end
end

local function cancel(claim, late)
  local held = remove(holders, claim)
  local waited = not held and unqueue(claim)
  if late == '1' then
    remember_ended(claim)
  end
  return held and 1 or waited and 0 or 2
end

-- Arguments from ARGV[at] on: claim, used token, mark and how long it is kept, late
local function finish(at)
  local _, holder = find(holders, ARGV[at])
  local used = tonumber(ARGV[at + 1])
  local reaches, keep = string.match(ARGV[at + 2], '^(%d+):(%d+)$')
  reaches = tonumber(reaches) or false
  cancel(ARGV[at], ARGV[at + 3])
  if not holder then
    return false
  end
  if holder[3] + holder[4] - 1 == last and used >= holder[3] and used < last then
    last = used
  end
  if reaches and not reached(reaches) then
    mark = reaches
    mark_until = math.max(mark_until, now + keep)
    keep_waiters(function(w)
      if reached(w[6]) then
        signals[#signals + 1] = { w[1], 'D\n' .. w[1] .. '\n' .. digits(mark) }
        return false
      end
      return true
    end)
  end
  return true
end
