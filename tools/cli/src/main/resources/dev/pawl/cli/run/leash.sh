# The leash of a command: it ends the command's process group when the lease runs out, whatever
# has become of pawl: killed, stopped, or cut off from the store.
#
# Each line of the input is a word from pawl:
#   group PID           whom to end: the process group of that number
#   until TERM KILL     when to send TERM, and when KILL, unless a later time is named before
#   signal NAME         a signal to pass on now
#   look                look at the clock now
#   end                 nothing of the group is left to end
# The end of the input without that word: pawl is gone.
# Each line of the output is the group, once it is known, or a signal that the leash has sent of
# its own.
#
# Times are hundredths of a second of /proc/uptime, which goes on while the host is suspended. They
# are points in time and not delays: whoever wakes up late finds that they have passed.

group=
term=
kill=
sent=
early=
alarm=

read_clock() {
  read -r now rest </proc/uptime
  # The 1 keeps 08 from being read as an octal number.
  now=$((${now%.*} * 100 + 1${now#*.} - 100))
}

# To the leader alone while it has not made the group yet.
send() {
  kill -s "$1" -- "-$group" 2>/dev/null || kill -s "$1" "$group" 2>/dev/null
}

# Has this loop look at the clock then, unless it will before.
wake_at() {
  if [ -n "$alarm" ] && [ "$alarm" -le "$1" ]; then return; fi
  alarm=$1
  delay=$(($1 - now))
  delay=$((delay / 100)).$((delay % 100 / 10))$((delay % 10))
  # Opened late: an open end of the input would hide that pawl is gone.
  { sleep "$delay"; echo alarm >"/proc/$$/fd/0"; } >/dev/null 2>&1 &
}

enforce() {
  if [ -z "$group" ] || [ -z "$kill" ]; then return; fi
  read_clock
  if [ "$now" -lt "$term" ]; then
    wake_at "$term"
  elif [ "$now" -lt "$kill" ]; then
    if [ -z "$sent" ] && send TERM; then echo TERM; fi
    sent=TERM
    wake_at "$kill"
  elif send KILL; then
    if [ "$sent" != KILL ]; then echo KILL; fi
    sent=KILL
  fi
}

while read -r word first second; do
  case $word in
    group)
      group=$first
      echo "group $group"
      for name in $early; do send "$name"; done
      ;;
    until)
      term=$first
      kill=$second
      [ "$sent" = KILL ] || sent=
      ;;
    signal)
      if [ -n "$group" ]; then send "$first"; else early="$early $first"; fi
      ;;
    alarm)
      alarm=
      ;;
    end)
      group=
      break
      ;;
  esac
  enforce
done

[ -z "$group" ] || send KILL
# What is left of the alarms: they are alone with the leash in its group.
trap '' TERM
kill -s TERM 0
