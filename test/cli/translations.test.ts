/** Catalogs pushed from files translate what is sent, in the locale of each recipient, and later changes leave old messages alone. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, openApp, sendAndSettle } from '../support/app.ts'
import { publish } from '../system/templates.ts'
import { run as runCommand } from './in-process.ts'

let app: App
let dir: string

beforeAll(async () => {
  app = await openApp()
  dir = mkdtempSync(join(tmpdir(), 'postrider-translations-'))
  await publish(app.client, 'greet', {
    channels: ['sms'],
    content: { title: '', body: '{{t "Hello {name}"}}, {{#t count=n}}one item{{else}}{count} items{{/t}}' },
  })
})
afterAll(async () => {
  await app.stop()
  rmSync(dir, { recursive: true, force: true })
})

const run = (args: string[]) => {
  const hasFolder = ['pull', 'push', 'diff'].includes(args[0] ?? '')
  return runCommand(['translations', ...args, ...(hasFolder ? ['--dir', dir] : [])], {
    env: { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey, NO_COLOR: '1' },
  })
}
const write = (locale: string, text: string) => writeFileSync(join(dir, `${locale}.po`), text)
const read = (locale: string) => readFileSync(join(dir, `${locale}.po`), 'utf8')

const german =
  'msgid "Hello {name}"\nmsgstr "Hallo {name}"\n\n' +
  'msgid "one item"\nmsgid_plural "{count} items"\nmsgstr[0] "ein Stück"\nmsgstr[1] "{count} Stück"\n'
const austrian = 'msgid "Hello {name}"\nmsgstr "Servus {name}"\n'

const data = { name: 'Ada', n: 3 }
const explain = async (locale: string) => {
  const profile = { phone_number: '+15550100', locale }
  const { rendered, warnings } = await app.client.explain({ event: 'greet', recipient: 'ada', profile, data })
  return { text: rendered[0]?.content.body, warnings }
}

test('without a catalog texts are shown as written, and the explanation and the check of the template say so', async () => {
  const { text, warnings } = await explain('de')
  expect(text).toBe('Hello Ada, 3 items')
  expect(warnings).toEqual([
    'No translation of `Hello {name}`; it is shown as it was written.',
    'No translation of `one item`; it is shown as it was written.',
  ])
})

test('push shows what differs, refuses a catalog that cannot be read, and writes the rest', async () => {
  write('de', german)
  write('de-AT', 'msgid "Hello {name}"\nmsgstr "Servus\n')
  const refused = await run(['push', '--yes'])
  expect(refused.code).not.toBe(0)
  expect(refused.err).toMatch(/de-AT: line 2: .*neither a keyword with a string/)
  write('de-AT', austrian)
  const shown = await run(['push', '--dry-run'])
  expect([shown.code, shown.out]).toEqual([4, expect.stringMatching(/de-AT +new: will be created/)])
  expect(await run(['push', '--yes'])).toMatchObject({ code: 0, out: expect.stringContaining('2 of 2 written') })
  expect(await run(['diff'])).toMatchObject({ code: 0 })
  expect((await run(['list', '--json'])).out).toContain('"locale": "de-AT"')
  expect((await run(['show', 'de'])).out).toContain('msgid "Hello {name}"\nmsgstr "Hallo {name}"\n\nmsgid')
})

test('a catalog in the charset that it names is stored as it was meant; file names and plural rules are checked', async () => {
  const header =
    '"Content-Type: text/plain; charset=ISO-8859-1\\n"\n"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n"'
  writeFileSync(
    join(dir, 'fi.po'),
    Buffer.from(`msgid ""\nmsgstr ""\n${header}\n\nmsgid "Bye"\nmsgstr "Hyvää päivää"\n`, 'latin1'),
  )
  const pushed = await run(['push', 'fi', '--yes'])
  expect(pushed).toMatchObject({ code: 0, err: expect.stringMatching(/fi: the header `Plural-Forms` must be like/) })
  expect(await app.client.translations.get('default', 'fi')).toMatch(/charset=UTF-8.*Hyvää päivää/s)
  rmSync(join(dir, 'fi.po'))
  await app.client.translations.delete('default', 'fi')
  const slovak = '"Content-Type: text/plain; charset=ASCII\\n"'
  writeFileSync(
    join(dir, 'sk.po'),
    Buffer.from(`msgid ""\nmsgstr ""\n${slovak}\n\nmsgid "Bye"\nmsgstr "Zbohom \xb9"\n`, 'latin1'),
  )
  expect(await run(['push', '--yes'])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/sk\.po: names the charset `ASCII`, and has bytes that are not in it/),
  })
  rmSync(join(dir, 'sk.po'))
  for (const name of ['sr@latin', 'de_DE.UTF-8']) {
    write(name, austrian)
    const refused = await run(['push', '--yes'])
    expect(refused.err).toMatch(`${name}.po: is not named after a locale, as de.po, pt-BR.po, sr-Latn.po`)
    rmSync(join(dir, `${name}.po`))
  }
})

test('messages are translated by the catalogs of their locale, from the most specific on', async () => {
  expect(await explain('de_DE')).toEqual({ text: 'Hallo Ada, 3 Stück', warnings: undefined })
  for (const locale of ['de-AT', 'de_AT.UTF-8', 'de_AT@euro', 'de-AT,de;q=0.9'])
    expect((await explain(locale)).text).toBe('Servus Ada, 3 Stück')
  expect((await explain('fr')).text).toBe('Hello Ada, 3 items')
  const { warnings } = await app.client.notifications.inspect({
    notification: { name: 'x', content: { body: '{{t "Hello {name}"}} {{t "New"}}' } },
  })
  expect(warnings).toEqual(['`de` has no translation of `New`.', '`de-AT` has no translation of `New`.'])
})

test('a message keeps the catalogs it was sent with; the next one has the new ones', async () => {
  const { client } = app
  const send = () =>
    sendAndSettle(client, { event: 'greet', recipient: 'ada', profile: { phone_number: '+1', locale: 'de-AT' }, data })
  const textOf = async (id: string) => (await client.messages.output(id)).results[0]?.content.body
  const before = await send()
  expect((await client.mailbox.list({ message_id: before.id })).results[0]?.content.body).toBe('Servus Ada, 3 Stück')
  write('de-AT', austrian.replace('Servus', 'Grüß Gott'))
  expect((await run(['diff'])).out).toContain('-msgstr "Servus {name}"\n  +msgstr "Grüß Gott {name}"')
  expect(await run(['push', '--yes'])).toMatchObject({ code: 0 })
  await client.translations.put('default', 'de', german.replaceAll('Stück', 'Teile'))
  const after = await send()
  expect(await textOf(after.id)).toBe('Grüß Gott Ada, 3 Teile')
  await client.translations.delete('default', 'de-AT')
  await client.translations.put('default', 'de-AT', austrian)
  expect(await textOf(before.id)).toBe('Servus Ada, 3 Stück')
  expect(await textOf(after.id)).toBe('Grüß Gott Ada, 3 Teile')
})

test('pull writes each catalog as it is stored, and takes away what was deleted', async () => {
  expect(await run(['pull', '--overwrite'])).toMatchObject({ code: 0 })
  expect(read('de')).toContain('Teile')
  expect(await run(['delete', 'de-AT'])).toMatchObject({ code: 0, out: expect.stringContaining('Deleted de-AT') })
  expect(await run(['pull', '--delete'])).toMatchObject({ code: 0, out: expect.stringContaining('removed  de-AT') })
  expect(existsSync(join(dir, 'de-AT.po'))).toBe(false)
  expect((await explain('de-AT')).text).toBe('Hallo Ada, 3 Teile')
})
