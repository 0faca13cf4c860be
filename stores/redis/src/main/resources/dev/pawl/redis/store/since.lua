-- The clock as one text, in microseconds.
local micros = time[2]
if #micros < 6 then
  micros = string.sub('00000' .. micros, -6)
end
local since = time[1] .. micros
