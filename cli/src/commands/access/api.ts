/** `postrider api`: calls any operation of the API, by its id or by method and path. */
import { pipeline } from 'node:stream/promises'
import { type CallOptions, isPostriderError, type Postrider } from '@postrider/client'
import { type Command, InvalidArgumentError } from 'commander'
import { suggest } from '../../completion/suggestions.ts'
import { exitCodes, Failure } from '../../failure.ts'
import { operations } from '../../operations/generated.ts'
import { type Operation, operationAt, type Request, requestOf } from '../../operations/operation.ts'
import { plainJson, plainLine } from '../../plain.ts'
import { runningClientOf, type Session, sessionOf } from '../../session.ts'
import { table } from '../../table.ts'
import { readText } from '../../text-file.ts'

interface ApiOptions {
  data?: string
  query?: Record<string, string[]>
  idempotencyKey?: string
  list?: boolean
}

const byId: Readonly<Record<string, Operation>> = operations
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Method = (typeof METHODS)[number]

export function addApi(program: Command): void {
  const api = program
    .command('api')
    .description('Call any operation of the API.')
    .argument('[operation]', 'operation id such as tenants.get, or method: GET, POST, PUT, PATCH, DELETE')
    .argument('[path...]', 'path (with a method), or values of the path parameters (with an operation id)')
    .option('-d, --data <json>', 'request body: JSON, @file, or - for standard input')
    .option('-q, --query <name=value>', 'query parameter; can be repeated', queryParameter)
    .option('--idempotency-key <key>', 'Idempotency-Key: a repeated POST with the same key is executed once')
    .option('--list', 'list the operations, or those that contain the given words')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider api --list tenants
  $ postrider api tenants.get acme
  $ postrider api GET /messages --query status=SENT --query status=DELIVERED --query limit=50
  $ postrider api PUT /tenants/acme --data '{"name":"Acme"}'
  $ postrider api send.send --data @body.json --query strict=true
  $ postrider api messages.outputPart "$MESSAGE" "$RENDER" html > mail.html

JSON responses are formatted; other responses are printed unchanged. A request is retried if that is safe: when there was
no response, and after 429 and 5xx. The exit code is 1 unless the status is 2xx. The server has the API reference at
/docs.`,
    )
    .action(async (first: string | undefined, rest: string[], options: ApiOptions, command: Command) => {
      const session = sessionOf(command)
      if (options.list) list(session, [first ?? '', ...rest])
      else await call(session, operationOf(first, rest), options)
    })
  suggest(api, [...METHODS, ...Object.keys(byId)])
}

function queryParameter(text: string, before: Record<string, string[]> = {}): Record<string, string[]> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It must have the form name=value.')
  const name = text.slice(0, at)
  return { ...before, [name]: [...(before[name] ?? []), text.slice(at + 1)] }
}

function list({ terminal }: Session, words: readonly string[]): void {
  const rows = Object.entries(byId)
    .map(([id, { method, path, summary }]) => ({ id, method, path, summary }))
    .filter((row) => words.every((word) => Object.values(row).join(' ').toLowerCase().includes(word.toLowerCase())))
  terminal.answer({ results: rows }, () =>
    rows.length === 0
      ? 'No operation contains these words.'
      : table(
          ['OPERATION', 'METHOD', 'PATH', 'SUMMARY'].map((title) => ({ title })),
          rows.map((row) => Object.values(row)),
        ),
  )
}

interface Target {
  request: Request
  /** Undefined for a path that this version does not know. */
  operation: Operation | undefined
}

const wrong = (message: string, hint: string) => new Failure(message, { hint, exitCode: exitCodes.wrong })
const LIST_HINT = 'To see the operations: postrider api --list, or postrider api --list <word>'

function operationOf(first: string | undefined, rest: readonly string[]): Target {
  if (first === undefined) throw wrong('The operation is missing', LIST_HINT)
  const method = METHODS.find((method) => method === first.toUpperCase())
  if (method) return targetAt(method, rest)
  const operation = Object.hasOwn(byId, first) ? byId[first] : undefined
  if (!operation) throw wrong(`Unknown operation \`${first}\``, LIST_HINT)
  const names = Object.keys(operation.params ?? {})
  if (rest.length !== names.length)
    throw wrong(
      names.length === 0
        ? `\`${first}\` takes no argument`
        : `\`${first}\` takes ${names.length === 1 ? 'an argument' : `${names.length} arguments`}: ${names.join(', ')}`,
      `It is ${operation.method} ${operation.path}`,
    )
  const params = Object.fromEntries(names.map((name, at) => [name, rest[at] ?? '']))
  return { request: requestOf(operation, { params }), operation }
}

function targetAt(method: Method, [path, ...more]: readonly string[]): Target {
  if (path === undefined || more.length > 0 || !path.startsWith('/'))
    throw wrong('A method takes one path, which begins with a slash', 'For example: postrider api GET /messages')
  const [bare = '', search] = path.split('?', 2)
  const query = search === undefined ? undefined : queryOf(search)
  return {
    request: { method, path: bare, ...(query && { query }), options: undefined },
    operation: operationAt(byId, method, bare),
  }
}

function queryOf(search: string): Record<string, string[]> {
  const parameters = new URLSearchParams(search)
  return Object.fromEntries([...parameters.keys()].map((name) => [name, parameters.getAll(name)]))
}

async function call(session: Session, { request, operation }: Target, options: ApiOptions): Promise<void> {
  const { produces } = operation ?? {}
  const isBinary = produces !== undefined && !/text|json|javascript/.test(produces)
  if (isBinary && process.stdout.isTTY)
    throw wrong(`The reply is ${produces}`, 'Redirect it to a file: postrider api … > file')
  const body = options.data === undefined ? undefined : bodyOf(options.data, operation)
  const callOptions: CallOptions = { ...(options.idempotencyKey && { idempotencyKey: options.idempotencyKey }) }
  const made: Request = {
    ...request,
    ...(options.query && { query: { ...request.query, ...options.query } }),
    ...(body !== undefined && { body }),
    ...(isBinary ? { stream: true } : { text: true }),
    options: callOptions,
  }
  const client = await runningClientOf(session)
  const reply = await replyOf(client, made, operation)
  if (typeof reply === 'string') show(session, reply)
  else await pipeline(reply, process.stdout, { end: false })
}

/** Text, or the bytes of a reply that is none. */
async function replyOf(
  client: Postrider,
  request: Request,
  operation: Operation | undefined,
): Promise<string | ReadableStream<Uint8Array>> {
  try {
    return await client.call<string | ReadableStream<Uint8Array>>(request)
  } catch (error) {
    if (operation || !isPostriderError(error, 'not_found')) throw error
    throw new Failure(`${error.message}: no operation of this version has the path ${request.method} ${request.path}`, {
      hint: LIST_HINT,
      cause: error,
    })
  }
}

/** In a terminal, text of any kind moves no cursor; elsewhere it is passed on as it came. */
function show({ terminal }: Session, text: string): void {
  const json = jsonOf(text)
  if (text === '' && !terminal.json) terminal.note('Done. The response is empty.')
  else if (text === '') terminal.answer(null, () => '')
  else if (json !== undefined) terminal.answer(json, () => plainJson(json, 2))
  else terminal.answer(text, () => (process.stdout.isTTY ? text.split('\n').map(plainLine).join('\n') : text))
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function bodyOf(data: string, operation: Operation | undefined): unknown {
  const text = data === '-' ? readText('-') : data.startsWith('@') ? readText(data.slice(1)) : data
  const json = jsonOf(text)
  if (json !== undefined) return json
  if (operation?.acceptsText) return text
  const place = data === '-' ? 'Standard input' : data.startsWith('@') ? data.slice(1) : '--data'
  throw wrong(`${place} is not JSON`, `Write a file name with an at sign: --data @body.json`)
}
