# The leash of a command: it ends the command's process group when the lease runs out, whatever
# has become of pawl: killed, stopped, or cut off from the store.
#
# Each line of the input is a word from pawl:
#   group PID           whom to end: the process group of that number
#   lease TERM KILL     seconds until TERM, and from then until KILL, unless told again before
#   signal NAME         a signal to pass on now
#   end                 the command has ended by itself
# The end of the input without that word: pawl is gone.
# Each line of the output is a signal that the leash has sent of its own.

group=
countdown=

send() {
  kill -s "$1" -- "-$group" 2>/dev/null && echo "$1"
}

run_down() {
  trap 'kill "$nap"; exit' TERM
  sleep "$1" >/dev/null & nap=$!
  wait "$nap"
  send TERM
  sleep "$2" >/dev/null & nap=$!
  wait "$nap"
  send KILL
}

stop_countdown() {
  [ -z "$countdown" ] || kill "$countdown" 2>/dev/null
}

while read -r word first second; do
  case $word in
    group)
      group=$first
      ;;
    lease)
      stop_countdown
      run_down "$first" "$second" 2>/dev/null &
      countdown=$!
      ;;
    signal)
      kill -s "$first" -- "-$group" 2>/dev/null
      ;;
    end)
      stop_countdown
      exit
      ;;
  esac
done

stop_countdown
[ -z "$group" ] || send KILL
