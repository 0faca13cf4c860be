# What the examples share: a cluster of processes on this machine. Each line that a process "sends"
# is the moment it is for, "by" and its process id.
servers=()
trap 'stop_all' EXIT

start() { # ARGUMENT OF JAVA...
  java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx128m "$@" >>target/run/output 2>&1 &
  servers+=($!)
}

start_eight() { # MAIN ARGUMENT...
  for _ in 1 2 3 4 5 6 7 8; do
    start -Dorg.slf4j.simpleLogger.defaultLogLevel=error -cp 'target/classes:target/lib/*' "$@"
  done
  echo "eight processes: ${servers[*]}"
}

await_lines() { # COUNT FILE [TEXT IN EACH]
  local end=$((SECONDS + 240))
  until [[ -e $2 && $(grep -c "${3:-}" "$2") -ge $1 ]]; do
    if ((SECONDS >= end)); then
      echo "there are not $1 lines${3:+ with \"$3\"} in $2 after four minutes; the output of the processes:"
      cat target/run/output
      exit 1
    fi
    sleep 0.1
  done
}

kill_sender() { # FILE
  local sender
  sender=$(tail -n 1 "$1" | sed 's/.* by \([0-9]*\).*/\1/')
  kill -KILL "$sender"
  wait "$sender" 2>/dev/null || true
  echo "$sender has sent the last one, and is killed"
}

stop_all() {
  ((${#servers[@]})) || return 0
  kill "${servers[@]}" 2>/dev/null || true
  wait "${servers[@]}" 2>/dev/null || true
  servers=()
}

show_and_check() { # FILE
  local twice
  cat "$1"
  twice=$(cut -d' ' -f1 "$1" | sort | uniq -d)
  if [[ -n $twice ]]; then
    echo "sent more than once: $twice"
    exit 1
  fi
  echo "ok: $(wc -l <"$1") moments, each sent once, by $(sed 's/.* by \([0-9]*\).*/\1/' "$1" | sort -u | wc -l) of eight processes"
}
