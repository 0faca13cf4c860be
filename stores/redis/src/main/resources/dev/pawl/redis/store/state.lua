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
