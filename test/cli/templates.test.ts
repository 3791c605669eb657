/** `postrider templates` on a folder and a server: what is pulled is pushed back as it was, and neither side is overwritten unasked. */

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Notification } from '@postrider/client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type App, openApp } from '../support/app.ts'
import { isLong } from '../support/run/long.ts'
import { run as runCommand } from './in-process.ts'

let app: App
let root: string
let dir: string

beforeAll(async () => {
  app = await openApp()
  root = mkdtempSync(join(tmpdir(), 'postrider-templates-'))
  dir = join(root, 'templates')
  // Resources that the first start made are no part of these tests.
  for await (const { id } of app.client.notifications.list()) await app.client.notifications.archive(id)
})
afterAll(async () => {
  await app.stop()
  rmSync(root, { recursive: true, force: true })
})

const run = (args: string[], folder = dir) =>
  runCommand(['templates', ...args, ...(args[0] === 'list' ? [] : ['--dir', folder])], {
    env: { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey, NO_COLOR: '1' },
  })
const file = (path: string) => readFileSync(join(dir, path), 'utf8')
const write = (path: string, text: string) => {
  mkdirSync(join(dir, path, '..'), { recursive: true })
  writeFileSync(join(dir, path), text)
}
const draft = (name: string) => app.client.notifications.get(name, { version: 'draft' })
const meaning = ({ name, tags, routing, brand, subscription, settings, content }: Notification) => {
  return { name, tags, routing, brand, subscription, settings, content }
}
const create = (alias: string | undefined, notification: object) =>
  app.client.notifications.create({
    notification: { name: 'Any', content: { body: 'Hello' }, ...notification, ...(alias && { alias }) },
  })

const elements = [
  { type: 'meta', title: 'Order {id}' },
  {
    type: 'text',
    id: 'greeting',
    content: 'Hello **{name}**,\n\nyour order is on its way.\n',
    locales: { de: { content: 'Hallo **{name}**,\n\ndeine Bestellung ist unterwegs.' } },
  },
  { type: 'html', content: '<p>\n  {{#each items}}{{name}}{{/each}}\n</p>' },
  { type: 'text', content: 'with\r\ncarriage returns' },
  { type: 'group', elements: [{ type: 'quote', content: 'one\ntwo' }] },
]
const full = {
  name: 'Order shipped',
  tags: ['orders'],
  routing: { method: 'single', channels: ['email', 'sms'] },
  settings: { on_missing_variable: 'fail' },
  content: { version: '2022-01-01', elements },
}

test('pull writes a file for each, longer texts in files of their own, and a push of them changes nothing', async () => {
  const made = await create('order-shipped', full)
  const { id } = await create(undefined, { name: 'No alias' })
  await create('../../escape/ä', { name: 'Hostile' })
  const before = meaning(await draft(made.id))
  expect(await run(['pull'])).toMatchObject({ code: 0, out: expect.stringContaining('3 templates written') })
  expect(readdirSync(dir).sort()).toEqual(
    ['..%2F..%2Fescape%2F%C3%A4.json', '.postrider', 'order-shipped', 'order-shipped.json', `${id}.json`]
      .map((name) => name.replace(/^\.\.%/, '%2E.%'))
      .sort(),
  )
  expect(readdirSync(root)).toEqual(['templates'])
  expect(readdirSync(join(dir, 'order-shipped')).sort()).toEqual([
    'greeting.de.md',
    'greeting.md',
    'html-2.html',
    'quote-4.0.md',
  ])
  expect(file('order-shipped/greeting.md')).toBe('Hello **{name}**,\n\nyour order is on its way.\n\n')
  expect(JSON.parse(file('order-shipped.json')).content.elements[2]).toEqual({
    type: 'html',
    content: { $file: 'order-shipped/html-2.html' },
  })
  expect(file('.postrider/.gitignore')).toBe('*\n')
  expect(await run(['diff'])).toMatchObject({ code: 0, out: expect.stringContaining('3 templates unchanged') })
  expect(await run(['push', '--yes'])).toMatchObject({ code: 0 })
  expect(meaning(await draft(made.id))).toEqual(before)
})

test('push shows the lines that differ, needs --yes without a terminal, writes drafts, and publishes them with --publish', async () => {
  write('order-shipped/greeting.md', file('order-shipped/greeting.md').replace('on its way', 'almost there'))
  write('new-one.json', JSON.stringify({ name: 'New', content: { title: 'Hi {name}', body: 'Short' } }))
  const shown = await run(['push', '--dry-run'])
  expect(shown.code).toBe(4)
  expect(shown.out).toContain('-your order is on its way.\n  +your order is almost there.')
  expect(shown.out).toMatch(/new-one {2}new: will be created/)
  expect(await run(['push'])).toMatchObject({ code: 2, err: expect.stringContaining('--yes') })
  await expect(draft('new-one')).rejects.toThrow()
  expect(await run(['push', '--yes'])).toMatchObject({ code: 0, out: expect.stringContaining('2 of 2 written') })
  expect(await draft('new-one')).toMatchObject({ alias: 'new-one', state: 'DRAFT' })
  expect(JSON.stringify((await draft('order-shipped')).content)).toContain('almost there')
  // The same again: there is nothing to write, and with --publish drafts to publish.
  expect((await run(['push', '--dry-run'])).code).toBe(0)
  expect(await run(['push', '--yes', '--publish', 'new-one'])).toMatchObject({ code: 0 })
  expect((await app.client.notifications.get('new-one')).version).toBe('v1')
  expect((await run(['push', '--dry-run', '--publish', 'new-one'])).code).toBe(0)
})

test('everything is checked before anything is written', async () => {
  write('a-good.json', JSON.stringify({ name: 'Good', content: { body: 'Good' } }))
  write('bad.json', JSON.stringify({ name: 'Bad', content: { elements: [{ type: 'text' }] } }))
  const refused = await run(['push', '--yes'])
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('elements.0.content: is missing') })
  await expect(draft('a-good')).rejects.toThrow()
  const unknown = { name: 'Bad', content: { elements: [{ type: 'text', content: 'Pay' }, { type: 'buton' }] } }
  write('bad.json', JSON.stringify(unknown))
  expect(await run(['push', '--yes', '--publish'])).toMatchObject({
    ...{ code: 1, err: expect.stringContaining('"buton" is not an element. Did you mean `action`?') },
  })
  await expect(draft('a-good')).rejects.toThrow()
  write('bad.json', JSON.stringify({ nam: 'Bad', content: { body: { $file: '../secret' } } }))
  expect(await run(['push', '--yes'])).toMatchObject({ code: 2, err: expect.stringContaining('unknown fields: nam') })
  const outside = { name: 'Bad', content: { elements: [{ type: 'text', content: { $file: '../secret.md' } }] } }
  writeFileSync(join(root, 'secret.md'), 'secret')
  write('bad.json', JSON.stringify(outside))
  expect(await run(['push', '--yes'])).toMatchObject({ code: 2, err: expect.stringContaining('`../secret.md`') })
  symlinkSync(join(root, 'secret.md'), join(dir, 'link.md'))
  write('bad.json', JSON.stringify(outside).replace('../secret.md', 'link.md'))
  expect(await run(['push', '--yes'])).toMatchObject({ code: 2, err: expect.stringContaining('link out of') })
  for (const name of ['a-good.json', 'bad.json', 'link.md']) rmSync(join(dir, name))
})

test('a file in another encoding is refused; nothing of it is stored', async () => {
  const folder = join(root, 'latin')
  mkdirSync(join(folder, 'gruss'), { recursive: true })
  const text = { type: 'text', content: { $file: 'gruss/body.md' } }
  const document = { name: 'Gruss', content: { elements: [text] } }
  writeFileSync(join(folder, 'gruss.json'), JSON.stringify(document))
  writeFileSync(join(folder, 'gruss', 'body.md'), Buffer.from('Schöne Grüße', 'latin1'))
  const { code, err } = await run(['push', '--yes'], folder)
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(/gruss\.json: `gruss\/body\.md` is not UTF-8\. Convert it: iconv/),
  ])
  writeFileSync(join(folder, 'gruss', 'body.md'), Buffer.from('\ufeffSchöne Grüße', 'utf16le'))
  expect((await run(['push', '--yes'], folder)).code).toBe(0)
  expect(JSON.stringify((await draft('gruss')).content)).toContain('Schöne Grüße')
  await app.client.notifications.archive('gruss')
})

test('a change on the server since the pull is not overwritten without --force, and a file that is not newer is left', async () => {
  const before = join(root, 'before')
  cpSync(dir, before, { recursive: true })
  const changed = { name: 'Changed there', content: { body: 'There' } }
  await app.client.notifications.replace('new-one', { notification: changed })
  expect(await run(['push', '--dry-run'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/new-one {2}changed on the server: stays/),
  })
  write('new-one.json', JSON.stringify({ name: 'Changed here', content: { body: 'Here' } }))
  const refused = await run(['push', '--yes'])
  expect(refused).toMatchObject({
    code: 1,
    err: expect.stringMatching(/new-one: changed on the server since[\s\S]*--overwrite/),
  })
  expect(await run(['pull'])).toMatchObject({ code: 1, err: expect.stringContaining('new-one') })
  expect((await draft('new-one')).name).toBe('Changed there')
  expect(JSON.parse(file('new-one.json')).name).toBe('Changed here')
  expect((await run(['push', '--yes', '--overwrite'])).code).toBe(0)
  expect((await draft('new-one')).name).toBe('Changed here')
  // A checkout that was never pulled: it is refused, and with the folder as it was pushed last it is not.
  const checkout = join(root, 'checkout')
  cpSync(dir, checkout, { recursive: true })
  rmSync(join(checkout, '.postrider'), { recursive: true })
  writeFileSync(join(checkout, 'new-one.json'), JSON.stringify({ name: 'Next', content: { body: 'Next' } }))
  expect((await run(['push', '--yes'], checkout)).code).toBe(1)
  expect(await run(['push', '--yes', '--base', dir], checkout)).toMatchObject({ code: 0 })
  expect((await draft('new-one')).name).toBe('Next')
  expect((await run(['push', '--yes', '--base', before], dir)).code).toBe(1)
  expect((await run(['pull'])).code).toBe(0)
  expect(JSON.parse(file('new-one.json')).name).toBe('Next')
})

test('a change on the server between the comparison and the write is reported and stays', async () => {
  const { fetch } = globalThis
  const meanwhile = { name: 'Changed meanwhile', content: { body: 'Meanwhile' } }
  let writes = 0
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    if (init?.method === 'PUT' && String(input).includes('/notifications/') && writes++ === 0)
      await app.client.notifications.replace('new-one', { notification: meanwhile })
    return fetch(input, init)
  })
  write('new-one.json', JSON.stringify({ name: 'Changed here', content: { body: 'Here' } }))
  const refused = await run(['push', '--yes']).finally(() => spy.mockRestore())
  expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/new-one was changed[\s\S]*--overwrite/) })
  expect((await draft('new-one')).name).toBe('Changed meanwhile')
  expect((await run(['push', '--yes'])).code).toBe(1)
  expect((await run(['push', '--yes', '--overwrite'])).code).toBe(0)
  expect((await draft('new-one')).name).toBe('Changed here')
})

test('nothing is removed without --delete, and nothing that was never pulled', async () => {
  await create('made-there', {})
  rmSync(join(dir, 'new-one.json'))
  expect(await run(['push', '--yes'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/new-one {2}removed: stays/),
  })
  expect(await run(['push', '--yes', '--delete'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('made-there: never pulled'),
  })
  expect((await draft('new-one')).alias).toBe('new-one')
  expect((await run(['pull', 'made-there'])).code).toBe(0)
  expect((await run(['push', '--yes', '--delete'])).code).toBe(0)
  await expect(draft('new-one')).rejects.toThrow()
  await app.client.notifications.archive('made-there')
  expect((await run(['pull'])).out).toContain('made-there (removed on the server')
  expect((await run(['pull', '--delete'])).code).toBe(0)
  expect(existsSync(join(dir, 'made-there.json'))).toBe(false)
})

test('a pull that was killed half-way is repeated, though its files are half old and half new', async () => {
  const { id } = await draft('order-shipped')
  const changed = {
    ...full,
    content: { version: '2022-01-01', elements: [{ type: 'text', id: 'greeting', content: 'a\nb' }] },
  }
  await app.client.notifications.replace(id, { notification: changed as never })
  const state = JSON.parse(file('.postrider/state.json'))
  for (const server of Object.values(state) as { pulling?: string[] }[]) server.pulling = ['order-shipped']
  write('.postrider/state.json', JSON.stringify(state))
  write('order-shipped/greeting.md', 'a\nb\n')
  expect(await run(['pull'])).toMatchObject({ code: 0, out: expect.stringContaining('wrote    order-shipped') })
  expect(readdirSync(join(dir, 'order-shipped'))).toEqual(['greeting.md'])
  expect((await run(['diff'])).code).toBe(0)
})

test.runIf(isLong)(
  'a push and a pull that are killed wherever they are come to the same when they are repeated',
  async () => {
    const many = join(root, 'many')
    mkdirSync(many)
    const names = Array.from({ length: 40 }, (_, n) => `many-${n}`).sort()
    for (const name of names)
      writeFileSync(join(many, `${name}.json`), JSON.stringify({ name, content: { body: `Hello\n\nfrom ${name}` } }))
    const killed = (args: string[], folder: string, timeoutMs: number) =>
      runCommand(['templates', ...args, '--dir', folder, ...names], {
        env: { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey },
        timeoutMs,
      })
    const aliasesOnServer = async () => {
      const aliases: string[] = []
      for await (const { alias } of app.client.notifications.list({ limit: 100 }))
        if (alias?.startsWith('many-')) aliases.push(alias)
      return aliases.sort()
    }
    const codes = []
    for (const timeoutMs of [350, 450, 550, 25_000]) codes.push((await killed(['push', '--yes'], many, timeoutMs)).code)
    expect(codes.at(-1)).toBe(0)
    expect(await aliasesOnServer()).toEqual(names)
    const copy = join(root, 'copy')
    for (const timeoutMs of [300, 350, 400]) await killed(['pull'], copy, timeoutMs)
    expect((await killed(['pull'], copy, 25_000)).code).toBe(0)
    expect((await killed(['diff'], copy, 25_000)).code).toBe(0)
    expect(readdirSync(copy).filter((name) => name.endsWith('.json'))).toHaveLength(names.length)
  },
)

test('list and show, as text and as JSON', async () => {
  expect((await run(['list'])).out).toMatch(/order-shipped +Order shipped +DRAFT/)
  const shown = await runCommand(['templates', 'show', 'order-shipped', 'draft', '--json'], {
    env: { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey },
  })
  expect(JSON.parse(shown.out)).toMatchObject({ alias: 'order-shipped', content: { elements: [{ content: 'a\nb' }] } })
  const json = await run(['diff', '--json'])
  expect(JSON.parse(json.out).results).toContainEqual({ name: 'order-shipped', difference: 'same' })
})
