/** Completion scripts for shells, written from what the program takes. */
import type { CompletionNode, Value } from './tree.ts'

/** Every shell reads it as the text it holds. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
const fishQuoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`

const FILE = '@file'
const TEXT = '@text'
/** As one word for the tables of a script: no command and no choice begins with @. */
const valueText = (value: Value) =>
  value.kind === 'words' ? value.words.join(' ') : value.kind === 'file' ? FILE : TEXT

/** A case for each node that has something, and nothing for all others. */
const cases = (nodes: readonly CompletionNode[], bodyOf: (node: CompletionNode) => string | undefined): string =>
  nodes
    .flatMap((node) => {
      const body = bodyOf(node)
      return body === undefined ? [] : [`    ${quoted(node.path.join(' '))}) ${body} ;;`]
    })
    .join('\n')

const words = (list: readonly string[]) => (list.length === 0 ? undefined : `REPLY=${quoted(list.join(' '))}`)

const valueCases = (nodes: readonly CompletionNode[]): string =>
  nodes
    .flatMap(({ path, options }) =>
      options.flatMap(({ names, value }) =>
        value
          ? names.map((name) => `    ${quoted(`${path.join(' ')} ${name}`)}) REPLY=${quoted(valueText(value))} ;;`)
          : [],
      ),
    )
    .join('\n')

/** Sets REPLY to what the words of a table are, by the path of a command. */
const tables = (nodes: readonly CompletionNode[]) => `_postrider_commands() {
  REPLY=''
  case "$1" in
${cases(nodes, ({ commands }) => words(commands.map(({ name }) => name)))}
  esac
}

_postrider_options() {
  REPLY=''
  case "$1" in
${cases(nodes, ({ options }) => words(options.flatMap(({ names }) => names)))}
  esac
}

_postrider_argument() {
  REPLY=''
  case "$1" in
${cases(nodes, ({ argument }) => argument && `REPLY=${quoted(valueText(argument))}`)}
  esac
}

_postrider_value() {
  REPLY=''
  case "$1 $2" in
${valueCases(nodes)}
  esac
}
`

export const bashScript = (
  nodes: readonly CompletionNode[],
): string => `# Completion of postrider for bash, written by: postrider completion bash
${tables(nodes)}
_postrider() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' choices='' word REPLY i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i += 1)); do
    word="\${COMP_WORDS[i]}"
    if [[ -n $choices ]]; then
      # The equals sign of --option=value is a word of its own.
      [[ $word == '=' ]] || choices=''
    elif [[ $word == -* ]]; then
      _postrider_value "$path" "$word"
      choices="$REPLY"
    else
      _postrider_commands "$path"
      if [[ " $REPLY " == *" $word "* ]]; then path="\${path:+$path }$word"; fi
    fi
  done
  [[ $current == '=' && -n $choices ]] && current=''
  if [[ -z $choices && $current == -* ]]; then
    _postrider_options "$path"
    choices="$REPLY"
  elif [[ -z $choices ]]; then
    _postrider_commands "$path"
    choices="$REPLY"
    if [[ -z $choices ]]; then
      _postrider_argument "$path"
      choices="$REPLY"
    fi
  fi
  case "$choices" in
    '${FILE}') compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    '${TEXT}' | '') ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$current") ;;
  esac
}

complete -F _postrider postrider
`

/** `name:description`, as \`_describe\` reads it. */
const described = (name: string, description: string) => quoted(`${name.replaceAll(':', '\\:')}:${description}`)

export const zshScript = (nodes: readonly CompletionNode[]): string => `#compdef postrider
# Completion of postrider for zsh, written by: postrider completion zsh
${tables(nodes)}
_postrider_described() {
  described=()
  case "$1" in
${cases(nodes, ({ commands }) =>
  commands.length === 0
    ? undefined
    : `described=(${commands.map(({ name, description }) => described(name, description)).join(' ')})`,
)}
  esac
}

_postrider_described_options() {
  described=()
  case "$1" in
${cases(
  nodes,
  ({ options }) =>
    `described=(${options.flatMap(({ names, description }) => names.map((name) => described(name, description))).join(' ')})`,
)}
  esac
}

_postrider() {
  local place='' choices='' word REPLY
  local -a described
  local -i i
  for ((i = 2; i < CURRENT; i += 1)); do
    word="\${words[i]}"
    if [[ -n $choices ]]; then
      choices=''
    elif [[ $word == -* ]]; then
      _postrider_value "$place" "$word"
      choices="$REPLY"
    else
      _postrider_commands "$place"
      if [[ " $REPLY " == *" $word "* ]]; then place="\${place:+$place }$word"; fi
    fi
  done
  if [[ -z $choices && \${words[CURRENT]} == -* ]]; then
    _postrider_described_options "$place"
    _describe -o option described
    return
  fi
  if [[ -z $choices ]]; then
    _postrider_described "$place"
    if (( \${#described} )); then
      _describe command described
      return
    fi
    _postrider_argument "$place"
    choices="$REPLY"
  fi
  case "$choices" in
    '${FILE}') _files ;;
    '${TEXT}' | '') ;;
    *) compadd -- \${=choices} ;;
  esac
}

if [[ "\${funcstack[1]}" == _postrider ]]; then
  _postrider "$@"
else
  compdef _postrider postrider
fi
`

function fishLines({ path, commands, options, argument }: CompletionNode): string[] {
  const at = `complete -c postrider -n ${fishQuoted(`__postrider_at ${fishQuoted(path.join(' '))}`)}`
  const takes = (value: Value) =>
    value.kind === 'words' ? ` -x -a ${fishQuoted(value.words.join(' '))}` : value.kind === 'file' ? ' -r -F' : ' -x'
  return [
    ...commands.map(({ name, description }) => `${at} -a ${fishQuoted(name)} -d ${fishQuoted(description)}`),
    ...options.map(({ names, description, value }) => {
      const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
      return `${at} ${flags.join(' ')} -d ${fishQuoted(description)}${value ? takes(value) : ''}`
    }),
    ...(argument?.kind === 'words' ? [`${at} -a ${fishQuoted(argument.words.join(' '))}`] : []),
    ...(argument?.kind === 'file' ? [`${at} -F`] : []),
  ]
}

export const fishScript = (
  nodes: readonly CompletionNode[],
): string => `# Completion of postrider for fish, written by: postrider completion fish
set -g __postrider_paths ${nodes
  .filter(({ path }) => path.length > 0)
  .map(({ path }) => fishQuoted(path.join(' ')))
  .join(' ')}
set -g __postrider_values ${nodes
  .flatMap(({ path, options }) =>
    options.flatMap(({ names, value }) => (value ? names.map((name) => fishQuoted(`${path.join(' ')} ${name}`)) : [])),
  )
  .join(' ')}

function __postrider_at
    set -l place ''
    set -l is_value 0
    for word in (commandline -opc)[2..-1]
        if test $is_value = 1
            set is_value 0
        else if string match -q -- '-*' $word
            contains -- "$place $word" $__postrider_values; and set is_value 1
        else
            set -l next (string trim -- "$place $word")
            contains -- $next $__postrider_paths; and set place $next
        end
    end
    test "$place" = "$argv[1]"
end

complete -c postrider -e
complete -c postrider -f
${nodes.flatMap(fishLines).join('\n')}
`
