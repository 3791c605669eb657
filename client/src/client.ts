/** The client: the calls of the API, bound to a server and a key. */
import { type Call, type Connection, caller } from './call.ts'
import { ApiResources } from './generated.ts'

export interface PostriderOptions extends Partial<Omit<Connection, 'apiKey'>> {
  apiKey: string
}

export class Postrider extends ApiResources {
  /** Any call, for what this version of the client does not know: `call({ method, path, … })`. */
  readonly call: Call

  /** Throws a `TypeError` for an empty key, and for a base URL that is no web address. */
  constructor(options: PostriderOptions) {
    const call = caller({
      apiKey: checkedKey(options.apiKey),
      baseUrl: checkedUrl(options.baseUrl ?? 'http://127.0.0.1:4600').replace(/\/+$/, ''),
      // Longer than any answer of a healthy server, shorter than the patience of most callers.
      timeoutMs: options.timeoutMs ?? 30_000,
      retries: options.retries ?? 2,
      backoffMs: options.backoffMs ?? 500,
      // Looked up at each call, and called without a receiver, as browsers demand.
      fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    })
    super(call)
    this.call = call
  }
}

function checkedKey(apiKey: string): string {
  if (typeof apiKey === 'string' && apiKey.trim() !== '') return apiKey
  throw new TypeError('apiKey is empty: it is an API key of the server, such as pk_prod_…')
}

function checkedUrl(baseUrl: string): string {
  if (/^https?:\/\/[^/]/i.test(baseUrl)) return baseUrl
  throw new TypeError(`baseUrl must begin with http:// or https://, and is ${JSON.stringify(baseUrl)}`)
}
