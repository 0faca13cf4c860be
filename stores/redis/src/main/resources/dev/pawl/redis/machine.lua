-- The lock machine of one name, as dev.pawl.machine.LockMachine has it: look there for the why.
-- It stands before each of the scripts. State is one string under one key, packed:
--   { 1, last token, mark or false, holders, queue, ended }
--   holder { claim, permits, token, span, since, until, label, actor }
--   waiter { claim, permits, capacity, lease, span, mark or false, fair, since, alive until, label, actor }
--   ended  { claim, until }
-- or, as the usual cases write it, a text, a line each:
--   0, last token: nobody holds it
--   1, since, claim: it is held by this claim alone, with a token that is the time
--   2, since, token, claim: the same, with another token
-- A claim is a text of ten lines: id, lease, span, permits, capacity, mark, queue, fair, actor,
-- label.
-- Numbers are doubles here: a reading of the clock in microseconds fits until the year 2255.
-- The constants CLAIM_WINDOW, WAITER_ALIVE, ENDED, MARK_RETENTION and SHARDED are put before it.
local key, existed, last, mark, holders, queue, ended, signals
-- What Redlock adds: the least token to give out, and the nodes that want to be told.
local floor, interested = 0, false

local function digits(number)
  return string.format('%.0f', number)
end

-- The members that are not over by the clock; member[i] says when one is.
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

-- Reads a claim: the waiter that it is, and whether it would wait.
local function request(text)
  local claim, lease, span, permits, capacity, wanted, waits, fair, actor, label =
    string.match(text, '^' .. CLAIM)
  return {
    claim, tonumber(permits), tonumber(capacity), tonumber(lease), tonumber(span),
    tonumber(wanted) or false, fair == '1', now, now + WAITER_ALIVE, label, actor,
  }, waits == '1'
end

-- Reads a state that is a text; false if it is none.
local function load_text(text)
  local kind, since, rest = string.match(text, '^([012])\n(%d+)(.*)$')
  if not kind then
    return false
  end
  since = tonumber(since)
  last, mark, holders, queue, ended, interested = since, false, {}, {}, {}, false
  if kind == '0' then
    return rest == ''
  end
  local token = since
  if kind == '2' then
    token, rest = string.match(rest, '^\n(%d+)(.*)$')
    token = tonumber(token)
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

local function load(name)
  key, signals = name, {}
  local packed = redis.call('GET', key)
  existed = packed and true or false
  if not existed then
    last, mark, holders, queue, ended, interested = 0, false, {}, {}, {}, false
    return
  end
  if load_text(packed) then
    return
  end
  local ok, state = pcall(cmsgpack.unpack, packed)
  if not ok or type(state) ~= 'table' or state[1] ~= 1 then
    error('PAWLDATA the value is not one of ours')
  end
  last, mark, interested = state[2], state[3], state[7] or false
  holders, queue, ended = living(state[4], 6), living(state[5], 9), living(state[6], 2)
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

-- The key goes by itself when LockState.isForgettable() would say so (I10).
local function save()
  local forget = mark and last + MARK_RETENTION or last
  for _, holder in ipairs(holders) do
    forget = math.max(forget, holder[6])
  end
  for _, waiter in ipairs(queue) do
    forget = math.max(forget, waiter[9])
  end
  for _, over in ipairs(ended) do
    forget = math.max(forget, over[2])
  end
  if forget >= now then
    local state
    if #holders + #queue + #ended == 0 and not mark and not interested then
      state = '0\n' .. digits(last) -- What the usual case of the next acquire can read.
    else
      state = cmsgpack.pack({ 1, last, mark, holders, queue, ended, interested or nil })
    end
    redis.call('SET', key, state, 'PX', math.floor((forget - now) / 1000) + 1)
  elseif existed then
    redis.call('DEL', key)
  end
  -- Last, and without an error of its own: a message is a hint (I8).
  for _, signal in ipairs(signals) do
    local prefix, tag, name = string.match(key, '^([^{]*)({[^}]*}:)(.*)$')
    publish(prefix .. 'node:', tag, string.match(signal[2], '^[^/]*'),
      table.concat(signal, '\n') .. '\n' .. name)
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

local function reached(wanted)
  return wanted and mark and wanted <= mark
end

local function grant(holder)
  return { 0, holder[3], holder[4], holder[6], now }
end

local function contention(kind, claim)
  local ahead = 0
  while ahead < #queue and queue[ahead + 1][1] ~= claim do
    ahead = ahead + 1
  end
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

-- Grants from the head whoever fits and has no fair waiter ahead. The one who asks is alive and
-- gets its lease; the others get the claim window, and a message.
local function grant_queue(asking)
  local held = 0
  for _, holder in ipairs(holders) do
    held = held + holder[2]
  end
  local i = 1
  while i <= #queue do
    local w = queue[i]
    if held + w[2] <= w[3] then
      table.remove(queue, i)
      held = held + w[2]
      local token = math.max(last + 1, now, floor)
      last = token + w[5] - 1
      local lasts = w[4]
      if w[1] ~= asking then
        lasts = math.min(lasts, CLAIM_WINDOW)
        signals[#signals + 1] =
          { 'G', w[1], digits(token), digits(w[5]), digits(now + lasts), digits(now) }
      end
      holders[#holders + 1] = { w[1], w[2], token, w[5], now, now + lasts, w[10], w[11] }
    elseif w[7] then
      return
    else
      i = i + 1
    end
  end
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
  local _, waiter = find(queue, claim)
  if waiter then
    waiter[9] = now + WAITER_ALIVE
    waiter[11] = actor
    return true
  end
  return false
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
    queue[#queue + 1] = waiter
  end
  grant_queue(claim)
  local _, holder = find(holders, claim)
  if holder then
    return grant(holder)
  end
  -- A claim that waits keeps its place: this copy was sent before it was ready to wait.
  if waits or known then
    return contention(1, claim)
  end
  local reply = contention(2, claim)
  remove(queue, claim)
  return reply
end

local function cancel(claim, late)
  local held, waited = remove(holders, claim), remove(queue, claim)
  if late == '1' and not find(ended, claim) then
    ended[#ended + 1] = { claim, now + ENDED }
  end
  return held and 1 or waited and 0 or 2
end

-- Arguments from ARGV[at] on: claim, used token, mark, late
local function finish(at)
  local _, holder = find(holders, ARGV[at])
  local used, reaches = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]) or false
  cancel(ARGV[at], ARGV[at + 3])
  if not holder then
    return false
  end
  if holder[3] + holder[4] - 1 == last and used >= holder[3] and used < last then
    last = used
  end
  if reaches and not reached(reaches) then
    mark = reaches
    last = math.max(last, now)
    local kept = {}
    for _, waiter in ipairs(queue) do
      if reached(waiter[6]) then
        signals[#signals + 1] = { 'D', waiter[1], digits(mark) }
      else
        kept[#kept + 1] = waiter
      end
    end
    queue = kept
  end
  return true
end
