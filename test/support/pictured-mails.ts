/** The mails in the pictures of the guides, rendered as they are sent. */
import { readFileSync } from 'node:fs'
import { readBrand } from '@postrider/server/internal/templates/brand'
import { compile } from '@postrider/server/internal/templates/compile'
import { render } from '@postrider/server/internal/templates/render'

interface Mail {
  name: string
  locale: string
  data: Record<string, unknown>
  content: unknown
}

const pictures = new URL('../../docs/guides/pictures/', import.meta.url)
const mails: Mail[] = JSON.parse(readFileSync(new URL('mails.json', pictures), 'utf8'))
const { settings } = JSON.parse(readFileSync(new URL('brand.json', pictures), 'utf8'))
const brand = readBrand(settings, {}, { name: 'Acme' })

export const picturedMails: readonly string[] = mails.map(({ name }) => name)

/** HTML. */
export function picturedMail(name: string): string {
  const mail = mails.find((one) => one.name === name)
  if (!mail) throw new Error(`There is no mail ${name}`)
  const context = { data: mail.data, profile: { email: 'ada@example.com' } }
  return render(compile(mail.content), { channel: 'email', dialect: 'html', context, locale: mail.locale, brand }).html
}
