/** Checks every reply: documented, of its schema, typed as promised, with an id, an error with its code, and never a server error. */
import { errorBodyProblem } from '../support/error-body.ts'
import type { Endpoint } from './document.ts'

export interface Reply {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Buffer
}

export interface CheckedReply {
  /** The body of a JSON reply. */
  json?: unknown
  faults: string[]
}

// Details that are of no use outside the server.
const INTERNALS = /\bat .{1,80}\.js:\d+|\b(?:TypeError|RangeError)\b|node_modules|\bselect .{1,80} from\b/

export function checkReply({ replies }: Endpoint, { status, headers, body }: Reply): CheckedReply {
  const faults: string[] = []
  if (!headers['x-request-id']) faults.push('no x-request-id')
  if (status >= 500) faults.push(`a fault of the server: ${status}`)
  const unknownPath = status === 404 ? errorOf(body) : undefined
  // An empty parameter leads to no operation.
  if (unknownPath?.code === 'unknown_path') {
    const fault = errorBodyProblem(status, unknownPath)
    return { json: unknownPath, faults: fault ? [...faults, fault] : faults }
  }
  const documented = replies.get(status)
  if (!documented) return { faults: [...faults, `status ${status} is not documented`] }
  const type = headers['content-type']
  if (documented.size === 0) {
    if (body.length > 0) faults.push(`a body with ${status}`)
    if (type !== undefined) faults.push(`a content-type with ${status}`)
    return { faults }
  }
  const media = [...documented.keys()].find((name) => name === type || (name !== JSON_TYPE && type?.includes(name)))
  if (!media) return { faults: [...faults, `content-type ${type} with ${status}`] }
  if (media !== JSON_TYPE) return { faults }
  const text = body.toString('utf8')
  try {
    const json: unknown = JSON.parse(text)
    const schemaError = documented.get(media)?.(json)
    if (schemaError) faults.push(`does not fit the schema of ${status}: ${schemaError}`)
    const errorFault = errorBodyProblem(status, json)
    if (errorFault) faults.push(errorFault)
    if (status >= 400 && INTERNALS.test(text)) faults.push(`exposes internals with ${status}: ${text.slice(0, 200)}`)
    return { json, faults }
  } catch {
    return { faults: [...faults, `not JSON with ${status}`] }
  }
}

function errorOf(body: Buffer): { code?: unknown } | undefined {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

const JSON_TYPE = 'application/json'
