/** Whether a reply of the API with a status from 400 on is an error as documented: a known code, its status and type, its page. */
import { type ErrorCode, errorCodes, errorDocPath } from '@postrider/contract'

/** The problem of the body; undefined when it is valid. */
export function errorBodyProblem(status: number, json: unknown): string | undefined {
  if (status < 400) return undefined
  if (typeof json !== 'object' || json === null) return `${status} without a JSON object`
  const { message, type, code, param, doc } = json as Record<string, unknown>
  if (typeof message !== 'string' || message === '') return `${status} without a message`
  if (typeof code !== 'string' || !Object.hasOwn(errorCodes, code)) return `${status} with the unknown code ${code}`
  const entry = errorCodes[code as ErrorCode]
  if (entry.status !== status) return `${status} with ${code}, whose status is ${entry.status}`
  if (entry.type !== type) return `${code} with the type ${type}`
  if (param !== undefined && (typeof param !== 'string' || param === '')) return `${code} with an empty param`
  if (typeof doc !== 'string' || !/^https?:/.test(doc) || !doc.endsWith(errorDocPath(code as ErrorCode)))
    return `${code} with the page ${doc}`
  return undefined
}
