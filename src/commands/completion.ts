import type { Command, Option } from 'commander'
import type { Output } from '../base/result.ts'
import { quotedWord } from '../base/shell-word.ts'
import { BEST_KINDS, CELL_ORDERS, EMITTED, ROLES, TILE_ORDERS } from '../calls/choices.ts'
import type { CommandModule } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { LIST_ORDERS } from '../calls/list-order.ts'
import { parseChoice } from '../calls/option-values.ts'
import { SEVERITIES } from '../check/codes.ts'
import { LEVELS } from '../check/finding.ts'
import type { CompletionDocument } from '../documents/completion.ts'
import { READ_ORDERS } from '../read/query.ts'
import { CODE_OPTIONS, DIMENSION_OPTIONS, FIELD_OPTIONS, TILE_OPTIONS } from './completed-words.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/** The values of options that are checked by hand: commander knows those of the others. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  '--best': BEST_KINDS,
  '--cell-order': CELL_ORDERS,
  '--emit': EMITTED,
  '--fail-on': SEVERITIES,
  '--level': LEVELS,
  '--order': READ_ORDERS,
  '--role': ROLES,
  '--sort': LIST_ORDERS,
  '--tile-order': TILE_ORDERS,
}

/** The command that answers questions. It is none of commander's. */
const HELP = { name: 'help', summary: 'find the call for a question, by a word of it', options: [], words: [] }

const PROGRAM = 'tiledb-inspect'
/** First part of the names of functions in the scripts. */
const FUNCTION = '_tiledb_inspect'

/** This command, whose parent has all other commands. */
let itself: Command | undefined

export const command: CommandModule<object> = {
  examples: [
    ['for bash, in ~/.bashrc: source <(tiledb-inspect completion bash)', 'completion bash'],
    ['for zsh: save it as _tiledb-inspect in a folder of $fpath', 'completion zsh'],
    ['for fish: save it in ~/.config/fish/completions', 'completion fish -o tiledb-inspect.fish'],
  ],

  ownOutput: () => true,

  configure(command) {
    itself = command
    command.argument('<shell>', SHELLS.join(', '))
  },

  async *run(_cx, [name]) {
    const shell = parseChoice('completion', SHELLS, name)
    const script = SCRIPTS[shell]([...(itself?.parent?.commands ?? []).map(describedCommand), HELP])
    const document: CompletionDocument = { ...documentHead('completion', shell), script }
    yield {
      kind: 'document',
      document,
      table: (out: Output) => out.write(script),
    }
  },
}

/** Options whose values the program completes. */
const NAME_OPTIONS = [...FIELD_OPTIONS, ...DIMENSION_OPTIONS, ...TILE_OPTIONS, ...CODE_OPTIONS]

function describedOption({ short, long, description, flags, argChoices = [] }: Option) {
  return {
    /** The spellings of the option, such as `-o` and `--output`. */
    flags: [short, long].filter((flag) => flag !== undefined && flag !== null),
    description: description.replace(/\s+/g, ' '),
    takesValue: /[<[]/.test(flags),
    /** Whether the value is a file or folder. */
    takesFile: /<(file|dir)>/.test(flags),
    /** Whether the value is a name that the program can complete. */
    takesName: NAME_OPTIONS.includes(long ?? ''),
    choices: CHOICES[long ?? ''] ?? argChoices,
  }
}

/** A command with its options, from the program's help. */
function describedCommand(command: Command) {
  return {
    name: command.name(),
    summary: command.summary(),
    options: command.options.map(describedOption),
    /** Words to complete in place of files. */
    words: command.name() === 'completion' ? SHELLS : [],
  }
}

type DescribedOption = ReturnType<typeof describedOption>
type DescribedCommand = ReturnType<typeof describedCommand>

/** The arguments by which a script asks the program for words: see completed-words.ts. */
const ASK = 'completion words'

const SCRIPTS: Readonly<Record<Shell, (commands: readonly DescribedCommand[]) => string>> = { bash, zsh, fish }

function bash(commands: readonly DescribedCommand[]): string {
  const cases = commands.map(({ name, options, words }) => {
    const flags = [...options.flatMap((option) => option.flags), '--help'].join(' ')
    return `    ${name}) options='${flags}'; words='${words.join(' ')}' ;;`
  })
  const values = commands.flatMap(({ name, options }) =>
    options.flatMap(({ flags, choices }) =>
      choices.length === 0
        ? []
        : `    '${name} ${flags.at(-1)}') COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$word")); return ;;`,
    ),
  )
  return `# completion of ${PROGRAM} for bash: source <(${PROGRAM} completion bash)
${FUNCTION}_files() {
  local name
  compopt -o filenames 2>/dev/null
  while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -f -- "$1")
}
${FUNCTION}_inside() {
  local name
  while IFS= read -r name; do COMPREPLY+=("$name"); done < <("\${COMP_WORDS[0]}" ${ASK} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  case "\${COMPREPLY[0]}" in *=) compopt -o nospace 2>/dev/null ;; esac
}
${FUNCTION}() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command='' options='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in -*) ;; *) command="\${COMP_WORDS[i]}"; break ;; esac
  done
  if [ -z "$command" ]; then
    COMPREPLY=($(compgen -W '${[...commands.map(({ name }) => name), '--help', '--version'].join(' ')}' -- "$word"))
    ${FUNCTION}_files "$word"
    case "$word" in */*) ${FUNCTION}_inside ;; esac
    return
  fi
  case "$before" in
    ${NAME_OPTIONS.join(' | ')}) 
      COMPREPLY=(); ${FUNCTION}_inside
      # Bash quotes only names of files: what is no plain word would be run.
      for i in "\${!COMPREPLY[@]}"; do COMPREPLY[i]=$(printf %q "\${COMPREPLY[i]}"); done
      return ;;
  esac
  case "$command $before" in
${values.join('\n')}
  esac
  case "$command" in
${cases.join('\n')}
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")); return ;;
  esac
  if [ "$command" = help ]; then COMPREPLY=(); ${FUNCTION}_inside; return; fi
  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$word")); return; fi
  COMPREPLY=()
  ${FUNCTION}_files "$word"
  case "$command $word" in */* | 'tile '*) ${FUNCTION}_inside ;; esac
}
complete -F ${FUNCTION} ${PROGRAM}
`
}

function zsh(commands: readonly DescribedCommand[]): string {
  const list = commands.map(({ name, summary }) => `    ${quotedWord(`${name}:${summary}`)}`)
  const cases = commands.map(({ name, options, words }) => {
    const specs = options.flatMap((option) =>
      option.flags.map((flag) => `        ${quotedWord(zshSpec(flag, option))} \\`),
    )
    const rest = words.length > 0 ? `'*:word:(${words.join(' ')})'` : `'*:target:${FUNCTION}_target'`
    return [`      ${name})`, '        _arguments \\', ...specs, `        ${rest} ;;`].join('\n')
  })
  return `#compdef ${PROGRAM}
# completion of ${PROGRAM} for zsh: save as _${PROGRAM} in a folder of $fpath
${FUNCTION}_inside() {
  local -a found
  found=(\${(f)"$(${PROGRAM} ${ASK} "\${(@Q)words[1,CURRENT]}" 2>/dev/null)"})
  if [[ "\${found[1]}" == *= ]]; then compadd -S '' -- $found; else compadd -- $found; fi
}
${FUNCTION}_target() { _files; ${FUNCTION}_inside }
${FUNCTION}() {
  local context state line
  local -a commands
  commands=(
${list.join('\n')}
  )
  _arguments -C '1:command:->command' '*::argument:->argument'
  case "$state" in
    command) _describe 'command' commands; _files ;;
    argument)
      case "$line[1]" in
${cases.join('\n')}
      esac ;;
  esac
}
${FUNCTION} "$@"
`
}

function zshSpec(flag: string, option: DescribedOption): string {
  const text = option.description.replace(/[[\]:\\]/g, '\\$&')
  return `*${flag}[${text}]${option.takesValue ? `:value:${zshValue(option)}` : ''}`
}

/** What zsh offers as the value of an option. */
function zshValue({ takesFile, takesName, choices }: DescribedOption): string {
  if (choices.length > 0) return `(${choices.join(' ')})`
  if (takesFile) return '_files'
  return takesName ? `${FUNCTION}_inside` : ' '
}

/** What fish is told of the value of an option. @param ask the call that completes names inside of the target */
function fishValue({ takesValue, takesFile, takesName, choices }: DescribedOption, ask: string): string {
  if (choices.length > 0) return ` -x -a '${choices.join(' ')}'`
  if (takesName) return ` -x -a '${ask}'`
  if (takesFile) return ' -r -F'
  return takesValue ? ' -x' : ''
}

function fish(commands: readonly DescribedCommand[]): string {
  const lines = [`# completion of ${PROGRAM} for fish: save in ~/.config/fish/completions`]
  for (const { name, summary } of commands) {
    lines.push(`complete -c ${PROGRAM} -n __fish_use_subcommand -a ${name} -d ${fishQuoted(summary)}`)
  }
  const ask = `(${PROGRAM} ${ASK} (commandline -opc)[2..-1] (commandline -ct))`
  lines.push(`complete -c ${PROGRAM} -a '${ask}'`)
  for (const { name, options, words } of commands) {
    const when = `complete -c ${PROGRAM} -n '__fish_seen_subcommand_from ${name}'`
    if (words.length > 0) lines.push(`${when} -f -a '${words.join(' ')}'`)
    for (const option of options) {
      const names = option.flags
        .map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
        .join(' ')
      lines.push(`${when} ${names}${fishValue(option, ask)} -d ${fishQuoted(option.description)}`)
    }
  }
  return `${lines.join('\n')}\n`
}

function fishQuoted(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`
}
