/** The client as others get it: packed, installed into empty projects, compiled strictly, run against a server. */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run as postrider } from '../cli/run.ts'
import { codeBlocks } from '../documents/markdown.ts'
import { type App, openApp } from '../support/app.ts'
import { type BadLine, openBadLine } from './bad-line.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const run = promisify(execFile)
// A busy machine compiles and starts slowly; nothing here waits for anything else.
const timeout = 60_000

let folder: string
let archive: string
let app: App
let line: BadLine

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-client-'))
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, '--workspace', 'client']
  const { stdout } = await run('npm', pack, { cwd: root, timeout })
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
  archive = join(folder, filename)
  app = await openApp()
  line = await openBadLine(app.url)
})
afterAll(async () => {
  await line.close()
  await app.stop()
  await rm(folder, { recursive: true, force: true })
})

/** An empty project with the client in it. */
async function project(type: 'module' | 'commonjs', options: Record<string, unknown>): Promise<string> {
  const place = await mkdtemp(join(folder, `${type}-`))
  await writeFile(join(place, 'package.json'), JSON.stringify({ type, private: true }))
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', archive], { cwd: place, timeout })
  const compilerOptions = { strict: true, module: 'nodenext', target: 'es2023', skipLibCheck: false, ...options }
  await writeFile(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  return place
}

const ofNode = { lib: ['es2023'], types: ['node'], typeRoots: [join(root, 'node_modules/@types')] }
const ofBrowser = { lib: ['es2023', 'dom', 'dom.asynciterable'], types: [], noEmit: true }

/** The errors of the compiler. */
async function errorsIn(place: string): Promise<string> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [tsc, '-p', place], { timeout }).catch((error) => error)
  return stdout
}

const compile = async (place: string) => expect(await errorsIn(place)).toBe('')

const node = (place: string, args: string[]) =>
  run(process.execPath, args, { cwd: place, timeout, env: { POSTRIDER_API_KEY: app.apiKey } })

test('the archive holds the compiled files, their types, the README and the license', async () => {
  const { stdout } = await run('tar', ['-tzf', archive])
  const names = stdout.trim().split('\n').sort()
  const sources = (await readdir(join(root, 'client/src'))).filter((file) => !file.endsWith('.test.ts'))
  const modules = sources.map((file) => file.replace(/\.ts$/, ''))
  expect(modules).toEqual(expect.arrayContaining(['index', 'sentence', 'steps']))
  const compiled = modules.flatMap((name) => [`package/dist/${name}.d.ts`, `package/dist/${name}.js`])
  expect(names).toEqual(['package/LICENSE', 'package/README.md', ...compiled, 'package/package.json'].sort())
})

test.each(['module', 'commonjs'] as const)('a strict program compiles and runs as %s', { timeout }, async (type) => {
  const place = await project(type, ofNode)
  await cp(new URL('./program.ts', import.meta.url), join(place, 'program.ts'))
  await compile(place)
  const compiled = await readFile(join(place, 'program.js'), 'utf8')
  expect(compiled.includes('require("@postrider/client")')).toBe(type === 'commonjs')
  const before = line.count()
  const { stdout, stderr } = await node(place, ['program.js', line.url, app.apiKey])
  expect(stderr).toBe('')
  const printed = JSON.parse(stdout)
  expect(printed).toMatchObject({
    first: 'string',
    second: 'string',
    errors: {
      unknown: ['not_found', 404, true],
      unauthenticated: ['authentication', 401, true],
      bad: ['invalid_request', 400, true],
      silent: ['timeout', null, true],
    },
    dropped: expect.arrayContaining([true]),
  })
  // The two programs send as many to the same recipients.
  const programs = type === 'module' ? 1 : 2
  expect([printed.many, printed.dropped.filter(Boolean), printed.dropped.length]).toEqual([
    12 * programs,
    [true],
    programs,
  ])
  const { drop, silent } = line.count()
  expect([drop - before.drop, silent - before.silent]).toEqual([2, 2])
})

test('in a browser project the types need no more than the DOM', { timeout }, async () => {
  const place = await project('module', ofBrowser)
  const text = `import { Postrider } from '@postrider/client'
export const why = (id: string) => new Postrider({ apiKey: 'pk_test_1' }).messages.explain(id)
`
  await writeFile(join(place, 'page.ts'), text)
  await compile(place)
})

test('with the declaration of templates a send is checked against them, and without it any compiles', {
  timeout,
}, async () => {
  const { notifications, events } = app.client
  const elements = [
    { type: 'meta' as const, title: 'Order {order.id}' },
    { type: 'text' as const, content: '{{#each items}}{{name}} {{default count 1}}\n{{/each}}' },
    { type: 'text' as const, if: 'data.note', content: '{note}' },
  ]
  const made = await notifications.create({
    notification: { name: 'Order */ shipped', alias: 'order-shipped', content: { elements } },
    state: 'PUBLISHED',
  })
  await notifications.create({ notification: { name: 'Plain', alias: 'plain', content: { body: 'Hello' } } })
  await events.put('order.sent', { id: made.id, type: 'notification' })
  const place = await project('module', { ...ofNode, noEmit: true })
  await cp(new URL('./checked-sends.ts', import.meta.url), join(place, 'checked-sends.ts'))
  const env = { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey }
  const command = ['templates', 'types', '--out', join(place, 'templates.ts')]
  expect(await postrider([...command, '--check'], { env })).toMatchObject({ code: 4 })
  expect(await postrider(command, { env })).toMatchObject({ code: 0 })
  expect(await postrider([...command, '--check'], { env })).toMatchObject({ code: 0 })
  await compile(place)
  // Without it nothing is refused, so that the marks of what is wrong are.
  await rm(join(place, 'templates.ts'))
  const errors = (await errorsIn(place)).trim().split('\n')
  expect(errors.filter((line) => !line.includes("Unused '@ts-expect-error' directive"))).toEqual([])
  expect(errors).toHaveLength(17)
  const loose = await readFile(join(place, 'checked-sends.ts'), 'utf8')
  await writeFile(join(place, 'checked-sends.ts'), loose.replaceAll(/^.*@ts-expect-error.*$/gm, ''))
  await compile(place)
})

test('the examples of the README do what stands beside them', { timeout }, async () => {
  const blocks = codeBlocks(await readFile(join(root, 'client/README.md'), 'utf8'))
  const here = (text: string) => text.replaceAll('http://127.0.0.1:4600', app.url)
  const [first, ...others] = blocks.filter(({ language }) => language === 'ts').map(({ text }) => text)
  // Later results include the first message only once it has arrived.
  const arrival = `while ((await postrider.messages.get(messageId)).status !== 'DELIVERED');`
  const place = await project('module', ofNode)
  await writeFile(join(place, 'examples.ts'), here([first, arrival, ...others].join('\n')))
  await compile(place)
  const { stdout, stderr } = await node(place, ['examples.js'])
  const [delivered, planned, warning] = blocks.flatMap(({ text }) => text.match(/(?<=^\/\/ ).+$/gm) ?? [])
  expect(stdout.replace(/\d+ ms/, '41 ms').split('\n')).toEqual(expect.arrayContaining([delivered, planned]))
  expect(stderr).toBe(`POST /profiles/user-8 ${warning}\n`)
  expect(stdout).toMatch(/^request (CREATED|PROCESSING|COMPLETED)$/m)
  expect(stdout).toMatch(/^went by 1 delivery$/m)
  expect(stdout).toMatch(/^on this page \d+ more follows (true|false)$/m)
  expect(stdout).toMatch(/^too late 409 \S+$/m)
  expect(stdout).toMatch(/^one message true$/m)
  expect(stdout).toMatch(/^of user-7$/m)

  const [script] = blocks.filter(({ language }) => language === 'js').map(({ text }) => text)
  const common = await project('commonjs', ofNode)
  await mkdir(join(common, 'bin'))
  await writeFile(join(common, 'bin/livez.js'), (script ?? '').replace('{ apiKey', `{ baseUrl: '${app.url}', apiKey`))
  expect((await node(common, ['bin/livez.js'])).stdout).toBe('ok\n')
})
