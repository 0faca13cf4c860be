-- The store's clock (I12), as the server tells it: seconds and microseconds. Tests put another in
-- its place.
local time = redis.call('TIME')
-- The clock as one number, in microseconds.
local now = time[1] * 1000000 + time[2]
local CLAIM_WINDOW, WAITER_ALIVE, FAR_AHEAD, FAR_WAITER_ALIVE = 2000000, 2000000, 8, 30000000
local ENDED, MOST_ENDED = 60000000, 100
local SHARDED = false
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
-- The state of one name. It stands before each of the scripts; with waiters.lua, queue.lua, ask.lua
-- and end.lua it is the lock machine, as dev.pawl.machine.LockMachine has it: look there for the why.
-- State is one string under one key, packed, and behind it, after any number of blanks, the text of
-- the queue:
--   { 3, last token, mark or false, holders, bounds of the queue, ended, interested or false, mark until }
--   holder { claim, permits, token, span, since, until, label, actor }
--   ended  { claim, until }
-- or, as the usual cases write it, a text, a line each:
--   0, last token: nobody holds it
--   1, since, claim: it is held by this claim alone, with a token that is the time
--   2, token, claim, since: the same, with another token
-- A claim is a text of ten lines: id, lease, span, permits, capacity, mark, queue, fair, actor,
-- label.
-- Numbers are doubles here: a reading of the clock in microseconds fits until the year 2255.
local key, existed, last, mark, holders, ended
-- Until when the mark is kept; 0 without one.
local mark_until
-- What nodes are to be told: { claim of the node, message without the name }.
local signals
-- What Redlock adds: the least token to give out, and the nodes that want to be told.
local floor, interested = 0, false

-- The members that have not expired by the clock; member[i] says when one does.
local function living(list, i)
  local kept = {}
  for _, member in ipairs(list) do
    if member[i] > now then
      kept[#kept + 1] = member
    end
  end
  return kept
end

local CLAIM = '([^\n]*)\n(%d+)\n(%d+)\n(%d+)\n(%d+)\n(%d*)\n([01])\n([01])\n([^\n]*)\n(.*)$'

-- Reads a state that is a text; false if it is none.
local function load_text(text)
  local kind, token, rest = string.match(text, '^([012])\n(%d+)(.*)$')
  if not kind then
    return false
  end
  token = tonumber(token)
  last, mark, mark_until, holders, ended, interested = token, false, 0, {}, {}, false
  load_queue('', 1, NO_QUEUE)
  if kind == '0' then
    return rest == ''
  end
  local since = token
  if kind == '2' then
    rest, since = string.match(rest, '^(.*)\n(%d+)$')
    since = tonumber(since)
  end
  local claim, lease, span, permits, _, _, _, _, actor, label =
    string.match(rest or '', '^\n' .. CLAIM)
  if not claim then
    return false
  end
  last = token + span - 1
  holders = living({
    { claim, tonumber(permits), token, tonumber(span), since, since + lease, label, actor },
  }, 6)
  return true
end

local function node_of(claim)
  return string.match(claim, '^[^/]*')
end

-- A node that let a grant end unconfirmed is taken for dead, and its waiters go that have not been
-- heard of since.
local function drop_silent_since(dead)
  if dead[6] - dead[5] ~= CLAIM_WINDOW then
    return
  end
  local node = node_of(dead[1])
  keep_waiters(function(w)
    return w[9] <= now + WAITER_ALIVE
      or w[9] > dead[5] + FAR_WAITER_ALIVE
      or node_of(w[1]) ~= node
  end)
end

-- Reads the state of a name; packed is its value, where that was read before.
local function load(name, packed)
  key, signals = name, {}
  packed = packed or redis.call('GET', key)
  existed = packed and true or false
  if not existed then
    last, mark, mark_until, holders, ended, interested = 0, false, 0, {}, {}, false
    load_queue('', 1, NO_QUEUE)
    return
  end
  if load_text(packed) then
    return
  end
  local ok, at, state = pcall(cmsgpack.unpack_one, packed)
  if not ok or type(state) ~= 'table' or state[1] ~= 3 then
    error('PAWLDATA the value is not one of ours')
  end
  last, mark, interested, mark_until = state[2], state[3], state[7], state[8]
  holders, ended = living(state[4], 6), living(state[6], 2)
  load_queue(packed, at > 0 and string.find(packed, '\1', at + 1, true) or #packed + 1, state[5])
  drop_dead()
  if #holders < #state[4] then
    for _, holder in ipairs(state[4]) do
      if holder[6] <= now then
        drop_silent_since(holder)
      end
    end
  end
end

-- Tells a node: in a cluster on its channel of this slot, which no other server hears of. Nobody may
-- be there, while the node follows a slot that moved or cannot do better: then all servers hear it.
local function publish(channel, tag, node, message)
  local heard = 0
  if SHARDED and redis.REDIS_VERSION_NUM then -- Redis 7 has both.
    heard = redis.pcall('SPUBLISH', channel .. tag .. node, message)
  end
  if type(heard) ~= 'number' or heard == 0 then
    redis.pcall('PUBLISH', channel .. node, message)
  end
end

-- Writes all of the value. A server whose memory is full refuses the first write of a script, if that
-- could need more of it, and no other: what is held is renewed, released and passed on all the same,
-- and a name that is not there is refused.
local function set(value, lasts)
  if redis.pcall('SET', key, value, 'PX', lasts).err then
    if existed then
      redis.call('PEXPIRE', key, lasts)
    end
    redis.call('SET', key, value, 'PX', lasts)
  end
end

-- Writes the state. Where the queue is long, those of its waiters that nobody looked at stay where
-- they are: who has come is put behind them, and what is before them is written over, with blanks to
-- fill up. That last step is the one that counts.
local LONG, ROOM, MOST_ROOM = 8192, 512, 8192

local function write(front, lasts)
  local first, come = texts_of(head), texts_of(added)
  local room = tail_at - 1 - #front - #first
  if #tail > LONG and tail_count > 0 and not rewritten and room >= 0 and room <= MOST_ROOM then
    redis.call('PEXPIRE', key, lasts)
    if #come > 0 then
      redis.call('APPEND', key, come)
    end
    redis.call('SETRANGE', key, 0, front .. string.rep(' ', room) .. first)
  else
    local rest = string.sub(tail, tail_at)
    local blanks = string.rep(' ', #rest > LONG and ROOM or 0)
    set(front .. blanks .. first .. rest .. come, lasts)
  end
end

-- The key goes by itself when LockState.isForgettable() would say so (I10).
local function save()
  local queue = bounds_of_queue()
  local forget = math.max(last, mark_until, queue[3])
  for _, holder in ipairs(holders) do
    forget = math.max(forget, holder[6])
  end
  for _, claim in ipairs(ended) do
    forget = math.max(forget, claim[2])
  end
  local lasts = math.floor((forget - now) / 1000) + 1
  if forget < now then
    if existed then
      redis.call('DEL', key)
    end
  elseif #holders + queue[1] + #ended == 0 and not mark and not interested then
    -- What the usual case of the next acquire can read.
    set('0\n' .. digits(last), lasts)
  else
    write(cmsgpack.pack({ 3, last, mark, holders, queue, ended, interested, mark_until }), lasts)
  end
  -- Last, and without an error of its own: a message is a hint (I8).
  for _, signal in ipairs(signals) do
    local prefix, tag, name = string.match(key, '^([^{]*)({[^}]*}:)(.*)$')
    publish(prefix .. 'node:', tag, node_of(signal[1]), signal[2] .. '\n' .. name)
  end
end

local function find(list, claim)
  for i, member in ipairs(list) do
    if member[1] == claim then
      return i, member
    end
  end
end

local function remove(list, claim)
  local i = find(list, claim)
  if i then
    table.remove(list, i)
  end
  return i
end
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
