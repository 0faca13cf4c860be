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
# The first line of the output is "ready": no signal to pawl's group ends the leash any more. Each of
# the others is the group, once it is known, or a signal that the leash has sent of its own.
#
# Times are hundredths of a second of /proc/uptime, which goes on while the host is suspended. They
# are points in time and not delays: whoever wakes up late finds that they have passed.
#
# It is bash, whose read can wait for a time: once the command is known, no process is started here,
# and no file is needed but the clock. Where there are none to be had, since the command has used
# them up, a leash that needs one would stand still, or end.

# In POSIX mode, and before bash 5.2 in any, read -t goes by SIGALRM, which a caller may have
# blocked, and which is lost if it comes just before the read.
set +o posix
exec 3>/dev/null || exec 3>&2

mark=$1
now=0
read_now=0
read_at=0
line=
group=
term=
kill=
sent=
early=
alarm=

# Who signals every process there is, as systemd does to stop a service, signals pawl too; the
# command needs its leash until it has ended of that.
trap '' TERM INT HUP PIPE
echo ready 2>&3

read_clock() {
  if read -r uptime rest 2>&3 </proc/uptime; then
    # The 1 keeps 08 from being read as an octal number.
    now=$((${uptime%.*} * 100 + 1${uptime#*.} - 100))
    read_now=$now
    read_at=$SECONDS
  else
    # It cannot be opened: by the shell's own clock, the wall clock in whole seconds, so rather early.
    late=$((read_now + (SECONDS - read_at) * 100 + 100))
    [ "$now" -ge "$late" ] || now=$late
  fi
}

# Kills whoever bears our mark: the command and all it has started, as far as they have not cleared
# their environment. Fails if there is nobody.
kill_marked() {
  marked=
  for process in /proc/[0-9]*; do
    while IFS= read -r -d '' variable; do
      if [ "$variable" = "PAWL_LEASH=$mark" ]; then
        kill -s KILL "${process#/proc/}" && marked=yes
        break
      fi
    done <"$process/environ"
  done 2>&3
  [ -n "$marked" ]
}

# To the leader alone while it has not made the group yet.
send() {
  if [ -n "$group" ]; then
    kill -s "$1" -- "-$group" 2>&3 || kill -s "$1" "$group" 2>&3
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

read_words() {
  word=$1
  first=$2
  second=$3
}

# Waits for a line of the input, which is in $line then, or for the alarm. Returns 0, more than 128
# if it was the alarm, or 1 at the end of the input.
listen() {
  if [ -z "$alarm" ]; then
    IFS= read -r part
  else
    read_clock
    left=$((alarm - now))
    # A delay stands still while the host is suspended.
    [ "$left" -le 100 ] || left=100
    [ "$left" -gt 0 ] || left=1
    IFS= read -r -t "$((left / 100)).$((left % 100 / 10))$((left % 10))" part
  fi
  heard=$?
  [ "$heard" -le 128 ] || now=$((now + left)) # As far as nothing else tells.
  line=$line$part # The alarm may come in the middle of a line.
  return "$heard"
}

enforce() {
  alarm=
  if [ -z "$kill" ]; then return; fi
  read_clock
  if [ "$now" -lt "$term" ]; then
    alarm=$term
  elif [ "$now" -lt "$kill" ]; then
    if [ -z "$sent" ] && send TERM; then echo TERM; fi
    sent=TERM
    alarm=$kill
  elif send KILL; then
    if [ "$sent" != KILL ]; then echo KILL; fi
    sent=KILL
  elif [ -z "$group" ]; then
    alarm=$((now + 20)) # The command may be on its way still.
  fi
} 2>&3 # Nobody may be there to be told.

while :; do
  word=
  if listen; then
    read_words $line
    line=
  elif [ "$heard" -le 128 ]; then
    break
  fi
  case $word in
    group)
      group=$first
      echo "group $group" 2>&3
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
    end)
      exit
      ;;
  esac
  enforce
done

if [ -n "$group" ]; then
  send KILL
elif [ -n "$kill" ]; then
  hunt
fi
