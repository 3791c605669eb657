/** The parts of a mail as people and overrides write them, read into one strict form for all mail providers. */
import type { MailAddress, MailAttachment } from '../base/exchange.ts'
import { isObject, type JsonObject } from '../base/json/json.ts'
import { parseMailAddress } from '../base/mail-address.ts'
import { given, lineAt, textAt } from './draft.ts'
import { DraftInvalid } from './provider.ts'

// SendGrid's bound for one request; a notification that needs more is a list.
const ADDRESSES_MAX = 1_000

/** `a@b.co`, `Ada <a@b.co>`, several with commas, `{ email | address, name }`, or an array of these. */
export function addressesAt(value: unknown, field: string): MailAddress[] {
  if (!given(value)) return []
  const items = Array.isArray(value) ? value : typeof value === 'string' ? splitList(value) : [value]
  if (items.length > ADDRESSES_MAX) throw new DraftInvalid(`${field} has more than ${ADDRESSES_MAX} addresses`)
  return items.map((item) => {
    const address = readAddress(item, field)
    if (!address) throw new DraftInvalid(`${field} has an invalid mail address`)
    return address
  })
}

export function addressAt(value: unknown, field: string): MailAddress | undefined {
  const [first, second] = addressesAt(value, field)
  if (second) throw new DraftInvalid(`${field} takes one mail address`)
  return first
}

function readAddress(item: unknown, field: string): MailAddress | undefined {
  if (typeof item === 'string') return parseMailAddress(item)
  if (!isObject(item)) return undefined
  const text = item.email ?? item.address
  const parsed = typeof text === 'string' ? parseMailAddress(text) : undefined
  const name = lineAt(item.name, `${field}.name`)
  return parsed && { ...(name ? { name } : {}), address: parsed.address }
}

/** At commas outside of quotes. */
function splitList(text: string): string[] {
  const items: string[] = []
  let quoted = false
  let start = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\' && quoted) at++
    else if (text[at] === '"') quoted = !quoted
    else if (text[at] === ',' && !quoted) {
      items.push(text.slice(start, at))
      start = at + 1
    }
  }
  return [...items, text.slice(start)]
}

const MEDIA_TYPE = /^[\w.+-]{1,127}\/[\w.+-]{1,127}(?:; ?[\w-]{1,40}=(?:[\w.+-]{1,100}|"[\w .+-]{1,100}"))*$/

/** Both spellings: `{ filename, contentType, data }` of a channel and `{ filename, type, content }` of a provider. */
export function attachmentsAt(value: unknown, field: string): MailAttachment[] {
  if (!given(value)) return []
  if (!Array.isArray(value)) throw new DraftInvalid(`${field} must be an array`)
  return value.map((item, index) => {
    if (!isObject(item)) throw new DraftInvalid(`${field}[${index}] must be an object`)
    return attachment(item, `${field}[${index}]`)
  })
}

function attachment(item: JsonObject, field: string): MailAttachment {
  const contentType = lineAt(item.contentType ?? item.content_type ?? item.type, `${field}.contentType`)
  if (contentType !== undefined && !MEDIA_TYPE.test(contentType))
    throw new DraftInvalid(`${field}.contentType must be a media type`)
  const contentId = lineAt(item.contentId ?? item.content_id ?? item.cid, `${field}.contentId`)
  const disposition = lineAt(item.disposition ?? item.contentDisposition, `${field}.disposition`)
  if (disposition !== undefined && disposition !== 'attachment' && disposition !== 'inline')
    throw new DraftInvalid(`${field}.disposition must be one of \`attachment\`, \`inline\``)
  return {
    filename: lineAt(item.filename ?? item.name, `${field}.filename`) ?? 'attachment',
    contentType: contentType ?? 'application/octet-stream',
    content: base64(item, field),
    ...(contentId ? { contentId: contentId.replace(/^<(.*)>$/, '$1') } : {}),
    ...(disposition ? { disposition } : {}),
  }
}

/** Base64 unless `encoding` says otherwise; written canonically, so that the bytes are beyond doubt. */
function base64(item: JsonObject, field: string): string {
  const content = textAt(item.content ?? item.data, `${field}.content`)
  // Neither files nor addresses are fetched: an attachment is what the send carries.
  if (content === undefined) throw new DraftInvalid(`${field} has no content`)
  const encoding = textAt(item.encoding, `${field}.encoding`)?.toLowerCase() ?? 'base64'
  if (encoding === 'utf8' || encoding === 'utf-8') return Buffer.from(content, 'utf8').toString('base64')
  if (encoding !== 'base64') throw new DraftInvalid(`${field}.encoding must be one of \`base64\`, \`utf-8\``)
  const packed = content.replace(/\s+/g, '')
  // A remainder of one character holds no byte: the text was cut.
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(packed) || packed.replace(/=+$/, '').length % 4 === 1)
    throw new DraftInvalid(`${field}.content must be base64`)
  return Buffer.from(packed, 'base64').toString('base64')
}
