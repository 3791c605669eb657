/** A send as it is called from elsewhere: by curl, and by the client in TypeScript. */
import type { MessageSendBody, SendBody } from '@postrider/client'
import { printJson } from './json.ts'
import { shellQuoted } from './shell.ts'

type Body = SendBody | MessageSendBody

export const curlOf = (origin: string, body: Body) => `curl ${shellQuoted(`${origin}/send`)} \\
  -H "Authorization: Bearer $POSTRIDER_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d ${shellQuoted(printJson(body))}`

/** JSON as it is written in code: names without quotes, and single ones around text that has neither. */
const literal = (value: unknown) =>
  printJson(value)
    .replace(/^( *)"([A-Za-z_$][\w$]*)":/gmu, '$1$2:')
    .replace(/"((?:[^"\\]|\\.)*)"/gu, (text, inside: string) => (/'|\\"/u.test(inside) ? text : `'${inside}'`))

export const typescriptOf = (origin: string, body: Body) => `import { Postrider } from '@postrider/client'

const postrider = new Postrider({
  baseUrl: ${literal(origin)},
  apiKey: process.env.POSTRIDER_API_KEY ?? '',
})

await postrider.send(${literal(body)})`
