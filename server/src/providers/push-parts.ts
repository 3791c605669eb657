/** Parts of push messages: tokens in a profile, the fields that all services have, the bound of a payload. */
import { isObject, type JsonObject } from '../base/json/json.ts'
import { tooLarge } from './limits.ts'
import { type DeviceToken, DraftInvalid, isPresent, type PushOptions, Rejection, textAt } from './provider.ts'

/** Most tokens have below 250 characters; the addresses of browsers have more. */
const TOKEN_CHARACTERS_MAX = 2_048

/** A token of one line without spaces. */
export const isToken = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= TOKEN_CHARACTERS_MAX && /^[!-~]+$/.test(value)

/** The tokens in a string, a list of strings, `{token}` or `{tokens}`, in their order. */
export function tokensIn(value: unknown): DeviceToken[] {
  const { token, tokens } = isObject(value) ? value : { token: value, tokens: undefined }
  const all = [token, tokens].flatMap((entry): unknown[] => (Array.isArray(entry) ? entry : [entry]))
  return all.filter(isToken).map((text) => ({ token: text }))
}

interface PushFields {
  icon?: string
  data?: JsonObject
  clickAction?: string
}

/** The options of the send, checked. */
export function pushFields({ icon, data, clickAction }: PushOptions): PushFields {
  if (isPresent(data) && !isObject(data)) throw new DraftInvalid('data must be an object')
  const [iconText, action] = [textAt(icon, 'icon'), textAt(clickAction, 'clickAction')]
  return {
    ...(iconText !== undefined && { icon: iconText }),
    ...(isObject(data) && { data }),
    ...(action !== undefined && { clickAction: action }),
  }
}

/** Throws where the service would refuse it for its size. */
export function checkPayload(bytes: number, bytesMax: number, service: string): void {
  if (bytes > bytesMax) throw new Rejection('content', tooLarge('The payload', bytes, bytesMax, 'bytes', service))
}

/** An address for later events is nothing by itself. */
const isText = (name: string, value: unknown) =>
  typeof value === 'string' && value.trim() !== '' && name !== 'trackingUrl'

function hasContent(value: unknown, name = ''): boolean {
  if (!isPresent(value) || typeof value === 'string') return isText(name, value)
  return typeof value !== 'object' || Object.entries(value as object).some(([key, item]) => hasContent(item, key))
}

/** Throws for a push that would show an empty notification, and has no data for the app. */
export function checkContent(payload: JsonObject): void {
  if (!hasContent(payload)) throw new DraftInvalid('title and body are missing')
}
