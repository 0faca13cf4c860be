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
#
# As long as no group was named, the command is found by its environment, in which PAWL_LEASH is our
# mark, the one argument. So there is no moment, between its start and that word, in which nobody
# would end it.
#
# Each line of the output is the group, once it is known, or a signal that the leash has sent of
# its own.
#
# Times are hundredths of a second of /proc/uptime, which goes on while the host is suspended. They
# are points in time and not delays: whoever wakes up late finds that they have passed.

mark=$1
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

# Kills whoever bears our mark: the command and all it has started, as far as they have not cleared
# their environment. Fails if there is nobody.
kill_marked() {
  marked=
  for process in /proc/[0-9]*; do
    if tr '\0' '\n' <"$process/environ" | grep -qx "PAWL_LEASH=$mark"; then
      kill -s KILL "${process#/proc/}" && marked=yes
    fi
  done 2>/dev/null
  [ -n "$marked" ]
}

# To the leader alone while it has not made the group yet.
send() {
  if [ -n "$group" ]; then
    kill -s "$1" -- "-$group" 2>/dev/null || kill -s "$1" "$group" 2>/dev/null
  elif [ "$1" = KILL ] && kill_marked; then
    # And whom those have started meanwhile.
    while kill_marked; do sleep 0.1; done
  else
    return 1
  fi
}

# Until the lease has expired, half a minute at most: what pawl started last may be on its way to the
# command still.
hunt() {
  exec <&- # Whoever would name a group now is not to start either.
  read_clock
  last=$((now + 3000))
  [ "$last" -le "$kill" ] || last=$kill
  while send KILL || [ "$now" -lt "$last" ]; do
    sleep 0.2
    read_clock
  done
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
  if [ -z "$kill" ]; then return; fi
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
      [ "$sent" = KILL ] || sent=
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
      break
      ;;
  esac
  enforce
done

if [ "$word" = end ]; then
  :
elif [ -n "$group" ]; then
  send KILL
elif [ -n "$kill" ]; then
  hunt
fi
# What is left of the alarms: they are alone with the leash in its group.
trap '' TERM
kill -s TERM 0
