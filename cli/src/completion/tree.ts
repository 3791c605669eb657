/** The commands, options and values that can be typed in each place, read from the program itself. */
import type { Argument, Command, Option } from 'commander'
import { suggestionsFor } from './suggestions.ts'

/** The value of an option or an argument: a file name, one of a few words, or free text. */
export type Value = { kind: 'file' } | { kind: 'words'; words: readonly string[] } | { kind: 'text' }

interface CompletionOption {
  /** `-l` and `--limit`, as far as there are both. */
  names: readonly string[]
  description: string
  /** Undefined for a flag. */
  value: Value | undefined
}

export interface CompletionNode {
  /** The words after `postrider`: none, `providers`, `providers add`. */
  path: readonly string[]
  commands: readonly { name: string; description: string }[]
  options: readonly CompletionOption[]
  /** The value of its first argument. */
  argument: Value | undefined
}

/** Every command, the program first. Options of the program can be typed after each of them. */
export function completionNodes(program: Command): CompletionNode[] {
  const shared = optionsOf(program)
  const nodeOf = (command: Command, path: readonly string[]): CompletionNode[] => {
    const commands = subcommandsOf(command)
    const [argument] = command.registeredArguments
    const options = path.length === 0 ? shared : [...optionsOf(command), ...shared.filter(isShared)]
    return [
      {
        path,
        commands: commands.map((command) => ({ name: command.name(), description: oneLine(command.description()) })),
        options,
        argument: argument && (suggested(command) ?? valueTaken(argument.name(), argument)),
      },
      ...commands.flatMap((command) => nodeOf(command, [...path, command.name()])),
    ]
  }
  return nodeOf(program, [])
}

function suggested(command: Command): Value | undefined {
  const words = suggestionsFor(command)
  return words && { kind: 'words', words }
}

/** Every command has a help of its own, and none a version. */
const isShared = ({ names }: CompletionOption) => !names.includes('--help') && !names.includes('--version')

/** With the one that Commander adds, `help`. */
const subcommandsOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [] : [...command.createHelp().visibleCommands(command)]

const optionsOf = (command: Command): CompletionOption[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .map((option) => ({
      names: [option.short, option.long].filter((name) => name !== undefined),
      description: oneLine(option.description),
      value: option.required || option.optional ? valueTaken(namedIn(option), option) : undefined,
    }))

/** `file` of `--csv <file>`. */
const namedIn = ({ flags }: Option): string => /[<[]([^>\].]*)/.exec(flags)?.[1] ?? ''

const FILES = /file|folder|automation/

function valueTaken(name: string, { argChoices }: Pick<Option | Argument, 'argChoices'>): Value {
  if (argChoices) return { kind: 'words', words: argChoices }
  return FILES.test(name) ? { kind: 'file' } : { kind: 'text' }
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()
