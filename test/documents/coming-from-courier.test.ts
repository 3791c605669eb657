/** The guide for users of Courier says what the tests show: versions, requests and methods; its program runs as it stands. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { providers } from '@postrider/server/providers'
import { expect, test } from 'vitest'
import { exceptions } from '../conformance/sdk/exceptions.ts'
import { openApp } from '../support/app.ts'
import { codeBlocks, root } from './markdown.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const guide = read('docs/guides/coming-from-courier.md')
const readme = read('README.md')

test('versions, requests and providers are those that the tests have', () => {
  const { devDependencies } = JSON.parse(read('test/package.json')) as { devDependencies: Record<string, string> }
  const versions = Object.values(devDependencies).flatMap(
    (range) => /^npm:@trycourier\/courier@(.+)$/.exec(range)?.[1] ?? [],
  )
  const listed = `${versions.slice(0, -1).join(', ')} and ${versions.at(-1)}`
  expect(guide).toContain(`\`@trycourier/courier\` ${listed} |`)
  const minor = (version = '') => version.replace(/\.\d+$/, '')
  expect(readme).toContain(
    `\`@trycourier/courier\` ${minor(versions[0])} to ${minor(versions.at(-1))} (seven major versions)`,
  )
  const corpus = 'test/conformance/callers/corpus'
  const requests = readdirSync(join(root, corpus))
    .map((name) => (JSON.parse(read(join(corpus, name))) as { entries: unknown[] }).entries.length)
    .reduce((sum, entries) => sum + entries, 0)
  expect(guide).toContain(`| ${requests} requests |`)
  expect(readme).toContain(` ${requests} requests of`)
  // All but the mailbox.
  expect(guide).toContain(`the ${providers.size - 1} in the [catalog]`)
})

test('the methods that are not supported are those that the tests leave out', () => {
  const [, section = ''] = guide.split('the methods that are not supported')
  const methods = [...(section.split('\n\n')[1] ?? '').matchAll(/`([\w.]+)`/g)].map(([, method]) => method)
  expect(methods.sort()).toEqual(Object.keys(exceptions).sort())
})

test('the program of the guide sends by the SDK as it stands', async () => {
  const app = await openApp()
  try {
    const program = codeBlocks(guide).find(({ language }) => language === 'js')?.text ?? ''
    const runnable = program.replace("'@trycourier/courier'", "'courier7'").replace('http://127.0.0.1:4600', app.url)
    expect(runnable).toContain(app.url)
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', runnable], {
      cwd: join(root, 'test'),
      env: { PATH: process.env.PATH, POSTRIDER_API_KEY: app.apiKey },
    })
    expect(stdout).toMatch(/^(ENQUEUED|MAPPED|PROFILE_LOADED|RENDERED|SENT|DELIVERED)\n$/)
  } finally {
    await app.stop()
  }
})
