/** The client: the calls of the API, bound to a server and a key, or to the session of a browser. */
import { type Call, type Connection, type Credentials, caller } from './call.ts'
import { ApiResources, type KeyEnvironment } from './generated.ts'

type Settings = Partial<Omit<Connection, 'credentials'>>

interface KeyOptions extends Settings {
  apiKey: string
  session?: never
}

interface SessionOptions extends Settings {
  /**
   * For a page that the server itself shows: calls are made with the session of the browser. With the name of an
   * environment they fail with `environment_switched` once the session acts in another one.
   */
  session: true | KeyEnvironment
  apiKey?: never
}

export type PostriderOptions = KeyOptions | SessionOptions

export class Postrider extends ApiResources {
  /** Any call, for what this version of the client does not know: `call({ method, path, … })`. */
  readonly call: Call

  /** Throws a `TypeError` for an empty key, for one with a character that no key has, and for a base URL that is no web address. */
  constructor(options: PostriderOptions) {
    const call = caller({
      credentials: credentialsOf(options),
      baseUrl: checkedUrl(options.baseUrl ?? 'http://127.0.0.1:4600').replace(/\/+$/, ''),
      // Longer than any answer of a healthy server, shorter than the patience of most callers.
      timeoutMs: options.timeoutMs ?? 30_000,
      retries: options.retries ?? 2,
      backoffMs: options.backoffMs ?? 500,
      ...(options.userAgent !== undefined && { userAgent: options.userAgent }),
      ...(options.onWarning && { onWarning: options.onWarning }),
      // Looked up at each call, and called without a receiver, as browsers demand.
      fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    })
    super(call)
    this.call = call
  }
}

function credentialsOf({ apiKey, session }: PostriderOptions): Credentials {
  if (session === undefined) return { apiKey: checkedKey(apiKey) }
  if (apiKey === undefined) return { session: session === true ? '1' : session }
  throw new TypeError('apiKey and session exclude each other')
}

function checkedKey(apiKey: string | undefined): string {
  if (typeof apiKey !== 'string' || apiKey.trim() === '')
    throw new TypeError('apiKey is empty: it is an API key of the server, such as pk_prod_…')
  const character = foreignCharacter(apiKey)
  if (character === undefined) return apiKey
  throw new TypeError(`apiKey has a character that no key has (${JSON.stringify(character)}): paste the whole key`)
}

/** The first character that no key has: most cannot stand in a header, and the call would end as one without an answer. */
const foreignCharacter = (apiKey: string): string | undefined => /[^\x20-\x7e]/u.exec(apiKey.trim())?.[0]

function checkedUrl(baseUrl: string): string {
  if (/^https?:\/\/[^/]/i.test(baseUrl)) return baseUrl
  throw new TypeError(`baseUrl must begin with http:// or https://, and is ${JSON.stringify(baseUrl)}`)
}
