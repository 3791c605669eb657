/** The changes of a signed request that a person between its provider and the server can try. */
import type { SignedRequest } from '../support/signed-callbacks.ts'

export interface Change {
  /** `url`, `body`, `method`, or the name of a header. */
  part: string
  request: SignedRequest
}

const TYPES = ['application/json', 'application/x-www-form-urlencoded']

/** Every byte, every place where a part or a field ends, the method and the type of the content. */
export function changesOf(request: SignedRequest): Change[] {
  const { url, body, headers } = request
  const path = new URL(url).origin.length
  const lines = [['url', url], ...Object.entries(headers)] as [string, string][]
  const changed = (part: string, text: string, also: Partial<SignedRequest> = {}): Change => ({
    ...{ part, request: { ...withPart(request, part, text), ...also } },
  })
  return [
    ...editsOf(body).map((text) => changed('body', text)),
    ...lines.flatMap(([part, text]) =>
      editsOf(text, part === 'url' ? path : 0)
        .filter((line) => /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(line))
        .map((line) => changed(part, line)),
    ),
    // The last byte of an address or a header becomes the first one of the body, or the other way about.
    ...lines.flatMap(([part, text]) => [
      { ...changed(part, text.slice(0, -1), { body: text.slice(-1) + body }), part: 'body' },
      { ...changed(part, text + body.slice(0, 1), { body: body.slice(1) }), part: 'body' },
    ]),
    ...TYPES.map((type) => changed('content-type', type)),
    changed('method', request.method === 'GET' ? 'POST' : 'GET'),
  ]
}

function withPart(request: SignedRequest, part: string, text: string): SignedRequest {
  const isHeader = !(part in request)
  return isHeader ? { ...request, headers: { ...request.headers, [part]: text } } : { ...request, [part]: text }
}

/** Each byte from there on as another one, in another case, left out, and behind the next one; then the ends of fields. */
function editsOf(text: string, from = 0): string[] {
  const bytes = Array.from({ length: text.length - from }, (_, index) => from + index)
  return [
    ...bytes.flatMap((at) => {
      const [before, byte, after] = [text.slice(0, at), text.slice(at, at + 1), text.slice(at + 1)]
      const flipped = (bits: number) => before + String.fromCharCode(byte.charCodeAt(0) ^ bits) + after
      return [flipped(0x01), flipped(0x20), before + after, before + after.slice(0, 1) + byte + after.slice(1)]
    }),
    ...fieldEdits(text),
  ]
}

/** The same letters as other fields, in a form or in the parameters of an address. */
function fieldEdits(text: string): string[] {
  const [, head = '', form = ''] = /^(https?:[^?]*\?|)([\w.-]+=.*)$/.exec(text) ?? []
  const fields = form.split('&').map((field) => field.split('=') as [string, string])
  const edited = (at: number, size: number, ...fields_: string[]) =>
    head + [...form.split('&').toSpliced(at, size, ...fields_)].join('&')
  return fields.flatMap(([name, value], at) => {
    const [nextName, nextValue] = fields[at + 1] ?? []
    return [
      edited(at, 1, `${name}${value}=`),
      edited(at, 1, `=${name}${value}`),
      edited(at, 1),
      edited(at, 1, `${name}=${value}`, `${name}=${value}`),
      ...(nextName === undefined
        ? []
        : [
            edited(at, 2, `${name}=${value}${nextName}${nextValue}`),
            edited(at, 2, `${name}%3D${value}%26${nextName}=${nextValue}`),
            edited(at, 2, `${name}=${value}%26${nextName}%3D${nextValue}`),
          ]),
    ]
  })
}
