-- The clock as one number, in microseconds.
local now = time[1] * 1000000 + time[2]
