/** Commands that are each one call of the API, drawn from a description: nouns, columns and operations. */
import { isPostriderError, type Postrider, type PostriderError } from '@postrider/client'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Fields as Assigned, assign } from '../assign.ts'
import { type Failure, unknown } from '../failure.ts'
import { readObject } from '../json-file.ts'
import { plain } from '../plain.ts'
import { withReach } from '../reach.ts'
import { runningClientOf, type Session, sessionOf } from '../session.ts'
import type { Terminal } from '../terminal.ts'
import { assignable, bodyOf, fieldsHelp } from './body.ts'
import { type OperationId, operations } from './generated.ts'
import { type Field, type Operation, type Request, requestOf } from './operation.ts'
import { itemsOf, LISTED_MAX, readPages } from './pages.ts'
import { type Columns, recordText, rowsText } from './text.ts'

export interface ResourceCommand {
  name: string
  operation: OperationId
  /** The summary of the operation, unless given. */
  description?: string
  /** Parameters and members of the body by their names on the command line, in order. */
  arguments?: Readonly<Record<string, string>>
  /** The columns of a list. */
  columns?: Columns
  /** The reply as text, where it is more than one record. */
  text?(reply: unknown, terminal: Terminal): string
  /** A reply without a record in words, with arguments in braces: `Deleted {tenant}`. */
  done?: string
  /** Values of body fields that are not given. */
  defaults?(): Assigned
  /** True for what only a running server does: the database of this machine does not stand in for it. */
  needsServer?: true
  /** Without `postrider` and the noun. */
  examples: readonly string[]
  /** Further help. */
  help?: string
}

export interface Resource {
  /** The noun on the command line. */
  name: string
  description: string
  commands: readonly ResourceCommand[]
}

export const addResource = (program: Command, { name, description, commands }: Resource): void =>
  addResourceCommands(program.command(name).description(description), commands)

/** Adds to a noun that may have other commands as well. */
export function addResourceCommands(parent: Command, commands: readonly ResourceCommand[]): void {
  const noun = parent.name()
  const list = commands.find(({ name }) => name === 'list')
  const hint = list && argumentsOf(list).size === 0 ? `To see all of them: postrider ${noun} list` : undefined
  for (const command of commands) addCommand(parent, command, hint)
}

/** Names on the command line by the names of the API. */
function argumentsOf({ operation, arguments: named }: ResourceCommand): Map<string, string> {
  if (named) return new Map(Object.entries(named))
  const { params = {} }: Operation = operations[operation]
  return new Map(Object.keys(params).map((name) => [name, name.replace(/_id$/, '').replaceAll('_', '-')]))
}

interface Options extends Assigned {
  limit?: number
  jsonBody?: string
  ifAbsent?: boolean
  ifMatch?: string
}

function addCommand(parent: Command, described: ResourceCommand, hint: string | undefined): void {
  const operation: Operation = operations[described.operation]
  const names = argumentsOf(described)
  const fields = assignable(operation.body ?? {}, [...names.keys()])
  const hasFields = Object.keys(fields).length > 0
  const command = parent.command(described.name).description(described.description ?? `${operation.summary}.`)
  for (const [name, shown] of names) {
    const field = operation.params?.[name] ?? operation.body?.[name] ?? operation.query?.[name]
    command.argument(`<${shown}>`, lowered(field?.about ?? ''))
  }
  if (hasFields) command.argument('[field=value...]', 'field to set; field:=json for values other than text', assign)
  addQueryOptions(command, operation, names)
  if (operation.body) command.option('--json-body <file>', 'request body as JSON, from a file or - (standard input)')
  if (operation.preconditions?.includes('absent'))
    command.option('--if-absent', 'only create: refused when the id exists')
  if (operation.preconditions?.includes('unchanged'))
    command.option('--if-match <version>', 'only replace this version: refused after another change')
  command.addHelpText('after', helpOf(parent.name(), described, fields))
  command.action(async (...args: unknown[]) => {
    const values = new Map([...names.keys()].map((name, at) => [name, String(args[at])]))
    const assigned = hasFields ? ((args[names.size] as Assigned | undefined) ?? {}) : {}
    const session = sessionOf(command)
    const options = command.opts<Options>()
    const request = madeOf(described, operation, values, assigned, options)
    const work = async (client: Postrider) => answer(session, client, described, request, values, options)
    try {
      if (described.needsServer) await work(await runningClientOf(session))
      else await withReach(session, ({ client }) => work(client))
    } catch (error) {
      if (!isPostriderError(error, 'not_found') || names.size === 0) throw error
      throw notFound(error, [...names.values()], [...values.values()], hint)
    }
  })
}

/** As the descriptions of other arguments and options begin: without an article, abbreviations unchanged. */
const lowered = (sentence: string) => {
  const words = sentence.replace(/^(?:The|An?) |\.$/g, '')
  return /^[A-Z][a-z ]/.test(words) ? words.charAt(0).toLowerCase() + words.slice(1) : words
}

const PAGING = ['cursor', 'starting_after', 'limit']

/** Without those that are arguments. */
const optionsOf = ({ query = {} }: Operation, names: ReadonlyMap<string, string>): [name: string, option: Option][] =>
  Object.entries(query)
    .filter(([name]) => !PAGING.includes(name) && !names.has(name))
    .map(([name, field]) => [name, optionOf(name, field)])

function optionOf(name: string, { kind, about, values }: Field): Option {
  const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll('_', '-')}`
  const option = new Option(kind === 'boolean' ? flag : `${flag} <value>`, lowered(about))
  if (values) option.choices([...values])
  // A list is the parameter given several times.
  if (kind === 'json') option.argParser((text: string, before: string[] = []) => [...before, text])
  return option
}

function addQueryOptions(command: Command, operation: Operation, names: ReadonlyMap<string, string>): void {
  for (const [, option] of optionsOf(operation, names)) command.addOption(option)
  if (operation.isPaged)
    command.addOption(new Option('-l, --limit <count>', 'maximum number of results').default(100).argParser(limit))
}

function limit(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1 && value <= LISTED_MAX) return value
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${LISTED_MAX}.`)
}

function helpOf(noun: string, { examples, help }: ResourceCommand, fields: Operation['body']): string {
  const lines = examples.map((example) => `  $ postrider ${noun} ${example}`)
  const shown = `${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.join('\n')}`
  return `\n${[fieldsHelp(fields ?? {}), help, shown].filter(Boolean).join('\n\n')}`
}

function madeOf(
  described: ResourceCommand,
  operation: Operation,
  values: ReadonlyMap<string, string>,
  assigned: Assigned,
  options: Options,
): Request {
  const { params = {}, body } = operation
  const path = Object.fromEntries([...values].filter(([name]) => name in params))
  const named = Object.fromEntries([...values].filter(([name]) => !(name in params)))
  const query = Object.fromEntries([
    ...[...values].filter(([name]) => name in (operation.query ?? {})),
    ...optionsOf(operation, values).flatMap(([name, option]) => {
      const value = options[option.attributeName()]
      return value === undefined ? [] : [[name, value]]
    }),
  ])
  const { ifAbsent, ifMatch } = options
  if (!body) return requestOf(operation, { params: path, query })
  const made = bodyOf({
    fields: body,
    named,
    assigned,
    ...(options.jsonBody !== undefined && { file: readObject(options.jsonBody) }),
    ...(described.defaults && { defaults: described.defaults() }),
  })
  const isAbsent = !operation.needsBody && Object.keys(made).length === 0
  return requestOf(operation, {
    ...{ params: path, query, options: { ifAbsent, ifMatch } },
    ...(!isAbsent && { body: made }),
  })
}

async function answer(
  { terminal }: Session,
  client: Postrider,
  described: ResourceCommand,
  request: Request,
  values: ReadonlyMap<string, string>,
  options: Options,
): Promise<void> {
  const { columns, done } = described
  const { isPaged }: Operation = operations[described.operation]
  if (columns) {
    const { results, more } = isPaged
      ? await readPages(client, request, options.limit ?? LISTED_MAX)
      : { results: itemsOf(await client.call(request)), more: false }
    terminal.answer({ results, ...(isPaged && { more }) }, () =>
      results.length === 0 ? 'None.' : rowsText(terminal, columns, results),
    )
    if (more) terminal.note(`There are more; --limit shows up to ${LISTED_MAX}.`)
    return
  }
  const reply = await client.call<unknown>(request)
  if (done === undefined) {
    terminal.answer(reply, () => (described.text ? described.text(reply, terminal) : recordText(reply)))
    return
  }
  const names = argumentsOf(described)
  const byShownName = new Map([...values].map(([name, value]) => [names.get(name) ?? name, value]))
  const verb = (done.split(' ')[0] ?? '').toLowerCase()
  terminal.answer(
    reply ?? { ...Object.fromEntries(values), [verb]: true },
    () => `${done.replace(/\{([\w-]+)\}/g, (_found, name: string) => plain(byShownName.get(name) ?? ''))}.`,
  )
}

/** The server's own message stays where it names what is missing. */
function notFound(
  error: PostriderError,
  names: readonly string[],
  ids: readonly string[],
  hint: string | undefined,
): Failure | PostriderError {
  return error.message.includes('`') ? error : unknown(names.join(' or '), ids, { cause: error, ...(hint && { hint }) })
}
