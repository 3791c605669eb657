/** Calls the HTTP API with a key and gives the whole reply, of every status; throws for an error without its documented fields. */
import { errorBodyProblem } from './error-body.ts'

export interface ApiReply {
  status: number
  headers: Headers
  text: string
  /** JSON of any shape; undefined when the reply is not JSON. */
  json: ReturnType<typeof JSON.parse>
}

export interface ApiCallOptions {
  /** The first key of the service unless set; empty: none. */
  apiKey?: string
  headers?: Record<string, string>
  /** A string or bytes are sent as they are, everything else as JSON. */
  body?: unknown
}

export interface ApiCaller {
  call(method: string, path: string, options?: ApiCallOptions): Promise<ApiReply>
}

/** Calls with `apiKey` unless the call has one of its own. Without `timeoutMs`, only the limit of the test ends a call. */
export const apiCaller = (url: string, apiKey: string, timeoutMs?: number): ApiCaller => ({
  call: (method, path, { apiKey: key = apiKey, ...rest } = {}) =>
    callApi(url + path, method, key, rest, timeoutMs === undefined ? null : AbortSignal.timeout(timeoutMs)),
})

/** The JSON of a reply of success; throws for any other. */
export async function mustCall(
  api: ApiCaller,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ApiReply['json']> {
  const reply = await api.call(method, path, { body, headers })
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`)
  return reply.json
}

/** The addresses in messages. */
const PEOPLE = /^\/[oprtu]\//

async function callApi(
  url: string,
  method: string,
  apiKey: string,
  { headers, body }: ApiCallOptions,
  signal: AbortSignal | null,
): Promise<ApiReply> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const reply = await fetch(url, {
    method,
    headers: {
      ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
    signal,
  })
  const text = await reply.text()
  const isJson = reply.headers.get('content-type') === 'application/json' && text !== ''
  const json = isJson ? JSON.parse(text) : undefined
  // Recipients get a page or a sentence, whatever the status.
  const isForPeople = reply.headers.get('content-type')?.startsWith('text/') && PEOPLE.test(new URL(url).pathname)
  const problem = method === 'HEAD' || isForPeople ? undefined : errorBodyProblem(reply.status, json)
  if (problem) throw new Error(`${method} ${url}: ${problem}: ${text.slice(0, 200)}`)
  return { status: reply.status, headers: reply.headers, text, json }
}
