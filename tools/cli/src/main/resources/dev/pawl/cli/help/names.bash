
# Names of locks and jobs, which the store knows, for the commands that take one.
_pawl_names() {
  _complete_pawl "$@"
  local line=${COMP_LINE:0:COMP_POINT} word raw=() words=() quote store=() command='' sub='' given=0 i
  read -ra raw <<<"$line"
  # What is in quotes is one word: --store 'PRIMARY | BACKUP'.
  for ((i = 0; i < ${#raw[@]}; i++)); do
    word=${raw[i]} quote=${raw[i]#--*=} quote=${quote:0:1}
    if [[ $quote == [\'\"] ]]; then
      while [[ ${word#--*=} == "$quote" || ${word: -1} != "$quote" ]] && ((i + 1 < ${#raw[@]})); do
        word+=" ${raw[++i]}"
      done
      word=${word/"$quote"/} word=${word%"$quote"}
    fi
    words+=("$word")
  done
  word=''
  [[ $line == *[[:space:]] ]] || word=${words[${#words[@]} - 1]}
  [[ $word != -* ]] || return 0
  local last=$((${#words[@]} - (${#word} > 0)))
  for ((i = 1; i < last; i++)); do
    case ${words[i]} in
      -s | --store | --store-file | --profile) store+=("${words[i]}" "${words[++i]:-}") ;;
      --store=* | --store-file=* | --profile=*) store+=("${words[i]}") ;;
      -*) ;;
      *)
        if [[ -z $command ]]; then
          command=${words[i]}
        elif [[ $command == jobs && -z $sub ]]; then
          sub=${words[i]}
        else
          given=1
        fi
        ;;
    esac
  done
  # An option before the word may want a value that is no name.
  [[ ${words[last - 1]:-} != -* ]] || return 0
  local asking=(ls --all) begins=(-- "$word")
  case $command-$sub in
    ls- | show- | wait- | release- | journal- | run- | hold-) ;;
    jobs-pause | jobs-resume | jobs-rerun | jobs-reset) asking=(jobs) begins=() ;;
    *) return 0 ;;
  esac
  ((given == 0)) || return 0
  # The shell sees a new word after each of these, and wants only what follows the last one.
  local seen=${word%"${word##*[:=]}"} name
  while IFS= read -r name; do
    name=$(printf '%q' "$name")
    [[ $name != "$word"* ]] || COMPREPLY+=("${name#"$seen"}")
  done < <("${words[0]}" "${asking[@]}" --quiet --limit 200 ${store[@]+"${store[@]}"} ${begins[@]+"${begins[@]}"} 2>/dev/null)
}
complete -F _pawl_names -o default pawl pawl.sh pawl.bash
