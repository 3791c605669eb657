/** A send as it is called from elsewhere: by curl, in TypeScript, by the command and the SDK of Courier. */
import type { MessageSendBody, SendBody } from '@postrider/client'
import { shellQuoted } from './shell.ts'

type Body = SendBody | MessageSendBody

/** A short object stands on one line. */
const LINE_MAX = 60

/** JSON that is read and typed: what is short is on one line, and everything else below each other. */
function print(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inside = `${indent}  `
  const [open, close, parts] = Array.isArray(value)
    ? ['[', ']', value.map((item) => print(item ?? null, inside))]
    : [
        '{',
        '}',
        Object.entries(value).flatMap(([name, item]) =>
          item === undefined ? [] : `${JSON.stringify(name)}: ${print(item, inside)}`,
        ),
      ]
  if (parts.length === 0) return `${open}${close}`
  const line = open === '[' ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`
  if (indent !== '' && line.length <= LINE_MAX && !line.includes('\n')) return line
  return `${open}\n${parts.map((part) => `${inside}${part}`).join(',\n')}\n${indent}${close}`
}

export const curlOf = (origin: string, body: Body) => `curl ${shellQuoted(`${origin}/send`)} \\
  -H "Authorization: Bearer $POSTRIDER_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d ${shellQuoted(print(body).replaceAll('\n', '\n  '))}`

/** JSON as it is written in code: names without quotes, and single ones around text that has neither. */
const literal = (value: unknown) =>
  print(value)
    .replace(/(^ *|[{,] )"([A-Za-z_$][\w$]*)":/gmu, '$1$2:')
    .replace(/"((?:[^"\\]|\\.)*)"/gu, (text, inside: string) => (/'|\\"/u.test(inside) ? text : `'${inside}'`))

/** Without a package: it runs as it is pasted. */
export const typescriptOf = (
  origin: string,
  body: Body,
) => `const response = await fetch(${literal(`${origin}/send`)}, {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.POSTRIDER_API_KEY}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${literal(body).replaceAll('\n', '\n  ')}),
})
console.log(response.status, await response.json())`

/** As data is given on the command line; what is no text is JSON after `:=`. */
const option =
  (name: string) =>
  ([key, value]: [string, unknown]) =>
    `--${name} ${word(typeof value === 'string' ? `${key}=${value}` : `${key}:=${JSON.stringify(value)}`)}`

/** Quoted where a shell would read more than a word. */
const word = (text: string) => (/^[\w@.,/:+=-]+$/u.test(text) ? text : shellQuoted(text))

export const commandOf = (origin: string, { event, recipient, profile = {}, data = {} }: SendBody) =>
  [
    `POSTRIDER_URL=${word(origin)} \\\n  postrider send ${word(event)} ${word(String(recipient))}`,
    ...Object.entries(profile ?? {}).map(option('profile')),
    ...Object.entries(data ?? {}).map(option('data')),
    '--wait',
  ].join(' \\\n  ')

/** By the SDK of Courier, whose API this is. */
export const sdkOf = (origin: string, { event, recipient, profile = {}, data = {} }: SendBody) =>
  `import Courier from '@trycourier/courier'

const courier = new Courier({
  baseURL: ${literal(origin)},
  apiKey: process.env.POSTRIDER_API_KEY,
})

await courier.send.message(${literal({ message: { template: event, to: { user_id: recipient, ...profile }, data } })})`
