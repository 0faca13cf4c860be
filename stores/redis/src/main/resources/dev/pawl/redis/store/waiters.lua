-- The queue of a name: who waits, in order. It is a text, of which the first waiters are read, as
-- far as somebody looks at them: a thousand come and go with every command, and a hand-over is about
-- two of them. Each begins with a byte that is nowhere else:
--   \1 claim, alive until, permits, capacity, lease, span, mark or nothing, fair, since, actor, label
-- The constants of LockMachine, and SHARDED, are put before it.

-- Those that were read, and those that have come:
--   { claim, permits, capacity, lease, span, mark or false, fair, since, alive until, label, actor }
local head, added
-- Those between them: where in a text they begin, how many they are; none of them dies before
-- soonest or after latest. A copy of a long text costs more than all that is done with it.
local tail, tail_at, tail_count, soonest, latest
-- Whether that text is not as it was read.
local rewritten

local function digits(number)
  return string.format('%.0f', number)
end

-- How long a waiter is believed alive that has so many ahead of it.
local function alive(ahead)
  return ahead < FAR_AHEAD and WAITER_ALIVE or FAR_WAITER_ALIVE
end

local WAITER = '^\1([^\n]*)\n(%d+)\n(%d+)\n(%d+)\n(%d+)\n(%d+)\n(%d*)\n([01])\n(%d+)\n([^\n]*)\n([^\1]*)()'

-- The waiter whose text begins there, and where the next one's does.
local function parse(at)
  local claim, lives, permits, capacity, lease, span, wanted, fair, since, actor, label, next_at =
    string.match(tail, WAITER, at)
  return {
    claim, tonumber(permits), tonumber(capacity), tonumber(lease), tonumber(span),
    tonumber(wanted) or false, fair == '1', tonumber(since), tonumber(lives), label, actor,
  }, next_at
end

local function text_of(w)
  return '\1' .. w[1] .. '\n' .. digits(w[9])
    .. string.format('\n%.0f\n%.0f\n%.0f\n%.0f\n', w[2], w[3], w[4], w[5])
    .. (w[6] and digits(w[6]) or '')
    .. (w[7] and '\n1\n' or '\n0\n')
    .. digits(w[8]) .. '\n' .. string.gsub(w[11], '[\1\n]', ' ') .. '\n'
    .. string.gsub(w[10], '\1', ' ')
end

-- Begins with a queue: the text in which it stands, from where on, and its bounds as they were saved.
local function load_queue(text, at, bounds)
  head, added, tail, tail_at, rewritten = {}, {}, text, at, false
  tail_count, soonest, latest = unpack(bounds)
end

local NO_QUEUE = { 0, 0, 0 }

local function queue_length()
  return #head + tail_count + #added
end

-- How many wait, before when none of them is dead, and after when all are that show no life.
local function bounds_of_queue()
  if tail_count == 0 then
    soonest, latest = math.huge, 0
  end
  for _, list in ipairs({ head, added }) do
    for _, w in ipairs(list) do
      soonest, latest = math.min(soonest, w[9]), math.max(latest, w[9])
    end
  end
  return { queue_length(), math.min(soonest, latest), latest }
end

local function texts_of(list)
  local texts = {}
  for i, w in ipairs(list) do
    texts[i] = text_of(w)
  end
  return table.concat(texts)
end

-- The waiter at a place; nothing behind the last.
local function waiter_at(place)
  while #head < place and tail_count > 0 do
    head[#head + 1], tail_at = parse(tail_at)
    tail_count = tail_count - 1
  end
  while #head < place and #added > 0 do
    head[#head + 1] = table.remove(added, 1)
  end
  return head[place]
end

-- How many are ahead of a claim, and where its text is, or the waiter; nothing if it does not wait.
local function ahead_of(claim)
  for i, w in ipairs(head) do
    if w[1] == claim then
      return i - 1, nil, w
    end
  end
  for i, w in ipairs(added) do
    if w[1] == claim then
      return #head + tail_count + i - 1, nil, w
    end
  end
  local at = tail_count > 0 and string.find(tail, '\1' .. claim .. '\n', tail_at, true)
  if at then
    local ahead, before = #head, tail_at
    while before < at do
      ahead, before = ahead + 1, string.find(tail, '\1', before + 1, true)
    end
    return ahead, at
  end
end

-- Writes another text in the place of the one that begins there.
local function rewrite(at, text)
  local next_at = string.find(tail, '\1', at + 1, true) or #tail + 1
  tail = string.sub(tail, 1, at - 1) .. text .. string.sub(tail, next_at)
  rewritten = true
end

local function enqueue(waiter)
  added[#added + 1] = waiter
end

-- Takes a claim out of the queue; false if it does not wait.
local function unqueue(claim)
  local ahead, at = ahead_of(claim)
  if at then
    rewrite(at, '')
    tail_count = tail_count - 1
  elseif ahead and ahead < #head then
    table.remove(head, ahead + 1)
  elseif ahead then
    table.remove(added, ahead + 1 - #head - tail_count)
  end
  return ahead and true or false
end

-- Notes that a waiter shows life; false if the claim does not wait.
local function show_life(claim, actor)
  local ahead, at, waiter = ahead_of(claim)
  if not ahead then
    return false
  end
  waiter = waiter or parse(at)
  waiter[9] = now + alive(ahead)
  waiter[11] = actor
  if at then
    rewrite(at, text_of(waiter))
    soonest, latest = math.min(soonest, waiter[9]), math.max(latest, waiter[9])
  end
  return true
end

-- Keeps those waiters of whom it is so.
local function keep_waiters(so)
  waiter_at(queue_length())
  local kept = {}
  for _, w in ipairs(head) do
    if so(w) then
      kept[#kept + 1] = w
    end
  end
  head = kept
end

-- Drops the waiters that are not alive any more; usually there are none, and it finds out until
-- when.
local function drop_dead()
  if tail_count == 0 or soonest > now then
    return
  end
  local at = tail_at
  soonest = latest
  while at do
    soonest = math.min(soonest, tonumber(string.match(tail, '^\1[^\n]*\n(%d+)', at)))
    at = string.find(tail, '\1', at + 1, true)
  end
  if soonest <= now then
    keep_waiters(function(w)
      return w[9] > now
    end)
  end
end
