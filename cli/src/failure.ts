/** An error as one line for people, with a hint and the exit code. */
import { isPostriderError, PostriderError } from '@postrider/client'
import { plain } from './plain.ts'

/** `different`: a comparison went well and found differences. */
export const exitCodes = { clean: 0, failed: 1, wrong: 2, taken: 3, different: 4 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export interface ErrorReport {
  message: string
  /** Everything that is wrong, where it is more than one thing. */
  issues?: string[]
  hint?: string
  /** The fields of an error reply of the server. */
  code?: string
  param?: string
  /** Address of the page about the code. */
  doc?: string
  exitCode: ExitCode
}

/** Ends the command with a message. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly hint: string | undefined
  readonly exitCode: ExitCode
  readonly issues: string[]

  constructor(
    message: string,
    options: { hint?: string; issues?: string[]; exitCode?: ExitCode; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.issues = options.issues ?? []
    this.hint = options.hint
    this.exitCode = options.exitCode ?? exitCodes.failed
  }
}

export const notReached = (url: string, cause?: unknown) =>
  new Failure(`No Postrider server responds at ${url}`, {
    hint: 'Start one with: postrider serve. For another address, use --url or POSTRIDER_URL.',
    cause,
  })

/** For commands that open the folder only where no server answers: the holder is most likely one at another address. */
export function takenElsewhere(error: unknown, folder: string, url: string): unknown {
  if (!(error instanceof Error && error.name === 'FolderTaken' && 'holder' in error)) return error
  return new Failure(
    `Another ${plain(String(error.holder))} serves the data folder ${plain(folder)}, at another address than ${plain(url)}`,
    {
      hint: 'Set POSTRIDER_URL to its address or POSTRIDER_PORT to its port, or give the address with --url.',
      exitCode: exitCodes.taken,
      cause: error,
    },
  )
}

export const keyMissing = (url: string, cause?: unknown) =>
  new Failure(`There is no API key for the server at ${url}`, {
    cause,
    hint: 'Set POSTRIDER_API_KEY or --key. If every key is lost, on the machine of the server: postrider keys create',
  })

/** For a command that would have opened the database: the data folder is another one, or closed to this user. */
export const folderMissing = (url: string, folder: string, cause?: unknown) =>
  new Failure(`There is no API key for the server at ${url}, and its database cannot be opened in ${plain(folder)}`, {
    cause,
    hint: 'Set POSTRIDER_API_KEY or --key. Without a key, on the machine of the server: set POSTRIDER_DATA_DIR to its data folder, and repeat this command.',
  })

/** An id that nothing has; several ids are parts of one address. */
export const unknown = (noun: string, ids: readonly string[], options: { hint?: string; cause?: unknown } = {}) =>
  new Failure(`Unknown ${noun} ${ids.map((id) => `\`${plain(id)}\``).join(', ')}`, options)

/** Gives the thing that the call returns; one that does not exist is named with its id. */
export async function existing<T>(call: Promise<T>, noun: string, id: string, hint?: string): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (!isPostriderError(error, 'not_found')) throw error
    throw unknown(noun, [id], { cause: error, ...(hint !== undefined && { hint }) })
  }
}

/** A call whose fields are the options of the command: one that is invalid is a wrong argument. */
export async function withOptions<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof PostriderError && error.code === 'invalid_field')) throw error
    throw new Failure(error.message, { exitCode: exitCodes.wrong, cause: error })
  }
}

/** The server's errors are known by name: loading the server to report that it was not reached takes too long. */
export function errorReportOf(thrown: unknown, url: string): ErrorReport {
  const error = thrown instanceof Error ? thrown : new Error(textOf(thrown))
  if (error instanceof Failure)
    return {
      message: error.message,
      exitCode: error.exitCode,
      ...(error.issues.length > 0 && { issues: error.issues }),
      ...(error.hint && { hint: error.hint }),
      ...(error.cause instanceof PostriderError && codeAndParam(error.cause)),
    }
  if (error instanceof PostriderError) return answered(error, url)
  if (error.name === 'ConfigInvalid' && 'issues' in error && Array.isArray(error.issues))
    return { message: 'The configuration is invalid', issues: error.issues.map(String), exitCode: exitCodes.wrong }
  if (error.name === 'FolderUnusable')
    return { message: chain(error), hint: 'For another folder, set POSTRIDER_DATA_DIR.', exitCode: exitCodes.wrong }
  if (error.name === 'LocalServerError' || error.name === 'DiskFull')
    return {
      message: error.message,
      ...('hint' in error && typeof error.hint === 'string' && { hint: error.hint }),
      exitCode: exitCodes.failed,
    }
  if (error.name === 'SecretKeyRefused')
    return {
      message: error.message,
      ...('hint' in error && typeof error.hint === 'string' && { hint: error.hint }),
      exitCode: exitCodes.wrong,
    }
  if (error.name === 'TransferRefused') return { message: chain(error), exitCode: exitCodes.wrong }
  if (error.name === 'FolderTaken' || error.name === 'OtherNodes')
    return { message: error.message, exitCode: exitCodes.taken }
  if (isOutOfFiles(error))
    return {
      message: `This process cannot open more files: ${error.message}`,
      hint: 'Raise the limit: ulimit -n 65536 before the start, LimitNOFILE=65536 with systemd, --ulimit nofile=65536 with Docker.',
      exitCode: exitCodes.failed,
    }
  if ('code' in error && error.code === 'EADDRINUSE')
    return {
      message: `${addressOf(error)} is in use by another program`,
      hint: 'Stop it, or choose another port with POSTRIDER_PORT, or POSTRIDER_LMTP_PORT if it is that of LMTP.',
      exitCode: exitCodes.failed,
    }
  if (cannotListen(error))
    return {
      message: `Cannot listen on this address: ${error.message}`,
      hint: 'POSTRIDER_HOST and POSTRIDER_LMTP_HOST must be a name or address of this machine; ports below 1024 require privileges.',
      exitCode: exitCodes.failed,
    }
  if (error.name === 'DatabaseUnavailable')
    return {
      message: `The database cannot be used: ${chain(error)}`,
      hint: 'Check POSTRIDER_DATABASE_URL, and that the database server is running.',
      exitCode: exitCodes.failed,
    }
  return { message: chain(error), exitCode: exitCodes.failed }
}

/** Before what listening or connecting was refused for: too few files are the reason of that, too. */
const isOutOfFiles = (error: unknown, depth = 0): boolean =>
  error instanceof Error &&
  depth < 5 &&
  (('code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE')) || isOutOfFiles(error.cause, depth + 1))

/** A thrown value that is not an error, as text. */
function textOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown)
  const { message, code } = thrown as { message?: unknown; code?: unknown }
  const words = [message, code].filter((part) => typeof part === 'string' && part !== '')
  return words.length > 0 ? words.join(' ') : JSON.stringify(thrown)
}

/** The host has no such address, the name does not resolve, or the port needs privileges. */
const cannotListen = (error: object) =>
  'syscall' in error && (error.syscall === 'listen' || error.syscall === 'bind' || error.syscall === 'getaddrinfo')

/** The address that was refused, as far as the error says. */
function addressOf(error: object): string {
  const { address, port } = error as { address?: unknown; port?: unknown }
  return typeof address === 'string' && typeof port === 'number' ? `The address ${address}:${port}` : 'The address'
}

/** A key is needed to make a key, except where the database is opened. */
const KEY_EXPIRED_HINT =
  'Use another key (POSTRIDER_API_KEY or --key). Without another one of role full, unset POSTRIDER_API_KEY and make one on the machine of the database: postrider keys create'

function answered(error: PostriderError, url: string): ErrorReport {
  const exitCode = exitCodes.failed
  if (error.kind === 'connection') return errorReportOf(notReached(url), url)
  if (error.kind === 'authentication')
    return {
      message:
        error.code === 'key_expired'
          ? `The server at ${url} rejected the API key: ${error.message}`
          : `The server at ${url} rejected the API key`,
      hint: error.code === 'key_expired' ? KEY_EXPIRED_HINT : 'Check POSTRIDER_API_KEY or --key.',
      ...errorFields(error),
      exitCode,
    }
  const hint =
    error.kind === 'server' && error.requestId
      ? `Find it in the log of the server by the request id ${error.requestId}.`
      : undefined
  return { message: error.message, ...(hint && { hint }), ...errorFields(error), exitCode }
}

/** Absent where something else than Postrider answered. */
const errorFields = (error: PostriderError) => ({
  ...codeAndParam(error),
  ...(error.doc !== undefined && { doc: error.doc }),
})

/** Without the page: for an error about which the command itself says what to do. */
const codeAndParam = ({ code, param }: PostriderError) => ({
  ...(code !== undefined && { code }),
  ...(param !== undefined && { param }),
})

/** A message and those of its causes, as long as they add something; a chain of five is long enough for anyone. */
function chain(error: Error): string {
  const messages: string[] = []
  let next: unknown = error
  for (let depth = 0; next instanceof Error && depth < 5; depth += 1) {
    // When several addresses refuse, Node reports an error without a message.
    const words = next.message || ('code' in next ? String(next.code) : next.name)
    if (!messages.some((message) => message.includes(words))) messages.push(words)
    next = next.cause
  }
  return messages.join(': ')
}
