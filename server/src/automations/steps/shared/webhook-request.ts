/** The webhook of a step: its HTTP request, and checks of its literal values. */
import { addressCharactersMax, type StepFields } from '@postrider/contract'
import type { HttpRequest } from '../../../base/exchange.ts'
import { isObject, type JsonObject } from '../../../base/json/json.ts'
import { headerError } from '../../../transport/http/client.ts'
import { MISSING_VALUE } from '../../references/interpolation.ts'
import { referencesIn, wholeReference, withReferences } from '../../references/references.ts'
import { FieldInvalid } from '../../step.ts'

type Webhook = StepFields<'fetch-data'>['webhook']

/** The request of a webhook after interpolation. Throws `FieldInvalid`. */
export function requestOf({ url: address, method = 'GET', headers = {}, params = {}, body }: Webhook): HttpRequest {
  const url = addressOf(address)
  const sent = method === 'GET' ? undefined : body
  const isText = typeof sent === 'string'
  for (const [name, value] of Object.entries(params))
    if (value !== null && value !== undefined) url.searchParams.set(name, words(value))
  return {
    kind: 'http',
    method,
    url: url.href,
    headers: {
      accept: 'application/json',
      'user-agent': 'Postrider',
      ...(sent !== undefined && !isText && { 'content-type': 'application/json' }),
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), words(value)])),
    },
    ...(sent !== undefined && { body: isText ? sent : JSON.stringify(sent) }),
    final: true,
  }
}

/** Checks the literal values before interpolation. Throws `FieldInvalid`. */
export function checkWebhook(webhook: unknown, field = 'webhook'): void {
  if (!isObject(webhook)) return
  const { url, headers, method = 'GET', body } = webhook
  if (method === 'GET' && !isEmpty(body) && wholeReference(body) === undefined)
    throw new FieldInvalid(`${field}.body`, 'needs a `method` that sends one: POST, PUT, PATCH or DELETE')
  if (typeof url === 'string') checkAddress(url, `${field}.url`)
  if (isObject(headers)) checkHeaders(headers, `${field}.headers`)
}

/** Clients send every field of a form, unused ones empty. */
const isEmpty = (body: unknown) =>
  body === undefined || body === '' || (isObject(body) && Object.keys(body).length === 0)

/** Checks the origin if it has no reference; the rest of a URL has only a maximum length. */
function checkAddress(url: string, field: string): void {
  // Interpolation of each value reads the text before it.
  if (url.length > addressCharactersMax)
    throw new FieldInvalid(field, `must have at most ${addressCharactersMax} characters, also before it is filled in`)
  const masked = withReferences(url, () => MISSING_VALUE)
  const [origin = masked, authority = ''] = /^[^:/?#]*:\/\/([^/?#]*)/.exec(masked) ?? []
  if (authority.includes('@'))
    throw new FieldInvalid(field, 'must not hold a user name or password: the header `authorization` is for them')
  if (!origin.includes(MISSING_VALUE) && referencesIn(origin).length === 0) addressOf(origin, field)
}

function addressOf(text: string, field = 'webhook.url'): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new FieldInvalid(field, 'must be an http or https address')
  return url
}

function checkHeaders(headers: JsonObject, field: string): void {
  for (const [name, value] of Object.entries(headers)) {
    const isLiteral = referencesIn(value).length === 0
    const error = headerError(name, isLiteral ? words(value) : '')
    if (error !== undefined) throw new FieldInvalid(`${field}.${JSON.stringify(name).slice(1, -1)}`, error)
  }
}

const words = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))
