/** The programs of `examples/` print what their READMEs show, and their messages arrive. One server for all of them. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, openApp } from '../support/app.ts'
import { codeBlocks, root } from './markdown.ts'

const execute = promisify(execFile)
const folder = join(root, 'examples')

let app: App
beforeAll(async () => {
  app = await openApp()
})
afterAll(() => app.stop())

/** The output of the program, with parts that differ between two runs replaced. */
async function run(name: string): Promise<string> {
  const env = { PATH: process.env.PATH, POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey }
  const { stdout, stderr } = await execute(process.execPath, [`dist/${name}.js`], { cwd: join(folder, name), env })
  expect(stderr).toBe('')
  return sameInEachRun(stdout)
}

const sameInEachRun = (text: string) =>
  text
    .replaceAll(/token=[\w-]{32}/g, 'token=…')
    .replaceAll(/\b(A|reader)-\d{13}/g, '$1-…')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…')
    .trim()

/** Channels and lines of a digest come in any order. */
const lines = (text: string) => text.split('\n').filter(Boolean).sort()

const shown = (name: string) =>
  codeBlocks(readFileSync(join(folder, name, 'README.md'), 'utf8')).find(({ language }) => language === 'text')?.text

const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'package.json')))

test('every example is run below', () => expect(names.sort()).toEqual(['digest', 'order-shipped', 'password-reset']))

// A second run finds the template and the topic of the first one.
test.each(names)('%s prints what its README shows, also when it is run again', async (name) => {
  const expected = lines(sameInEachRun(shown(name) ?? ''))
  expect(expected.length).toBeGreaterThan(3)
  for (const _ of [1, 2]) expect(lines(await run(name))).toEqual(expected)
})

test('their messages are in the mailbox, each once', async () => {
  const mailbox = await app.client.mailbox.list({ limit: 100 })
  const arrived = mailbox.results.map(({ channel, recipient, content }) => [
    channel,
    sameInEachRun(recipient),
    sameInEachRun(String(content.subject || content.text)),
  ])
  const once = [
    ['email', 'reader-…', '3 new comments on your articles'],
    ['email', 'user-7', 'Reset your password'],
    ['email', 'user-7', 'Your order A-… is on its way'],
    ['sms', 'user-7', 'Your order A-… is on its way.'],
  ]
  expect(arrived.sort()).toEqual([...once, ...once].sort())
})
