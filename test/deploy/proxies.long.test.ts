/** nginx and Caddy as `deploy/` sets them up, with TLS, in front of two nodes. Runs where they are installed. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../documents/markdown.ts'
import { type App, openApp } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { freePort } from '../support/free-port.ts'
import { makeCertificate, nginxCommand, PATH } from '../support/peers/nginx.ts'
import { until } from '../support/until.ts'

const HOST = 'notify.example.com'

interface Setup {
  folder: string
  /** The ports of the HTTPS listener, and of the one that redirects. */
  port: number
  plainPort: number
  /** `host:port` of each node. */
  nodes: string[]
}

const nginx = ({ folder, port, plainPort, nodes }: Setup): string[] => {
  const site = replaced(readFileSync(join(root, 'deploy/nginx.conf'), 'utf8'), [
    ['/etc/letsencrypt/live/notify.example.com/fullchain.pem', `${folder}/certificate.pem`],
    ['/etc/letsencrypt/live/notify.example.com/privkey.pem', `${folder}/key.pem`],
    ['server 127.0.0.1:4600;', nodes.map((node) => `server ${node};`).join('\n')],
    ['listen 80;', `listen 127.0.0.1:${plainPort};`],
    ['listen [::]:80;', ''],
    ['listen 443 ssl http2;', `listen 127.0.0.1:${port} ssl http2;`],
    ['listen [::]:443 ssl http2;', ''],
  ])
  return nginxCommand(folder, site)
}

const caddy = ({ folder, port, nodes }: Setup): string[] => {
  const site = replaced(readFileSync(join(root, 'deploy/Caddyfile'), 'utf8'), [
    [`\n${HOST} {`, `\n${HOST}:${port} {\n\tbind 127.0.0.1\n\ttls ${folder}/certificate.pem ${folder}/key.pem`],
    ['reverse_proxy 127.0.0.1:4600 {', `reverse_proxy ${nodes.join(' ')} {\n\t\t${buffers()}`],
  ])
  const options = '{\n\tadmin off\n\tauto_https disable_redirects\n}\n'
  writeFileSync(join(folder, 'Caddyfile'), options + site)
  return ['caddy', 'run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')]
}

/** The line that the file demands for several nodes, by the version of Caddy. */
function buffers(): string {
  const version = spawnSync('caddy', ['version'], { encoding: 'utf8' }).stdout
  const [, minor = 0, patch = 0] = (/(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number)
  if (minor <= 6) return 'buffer_requests'
  return minor < 11 || (minor === 11 && patch <= 1) ? 'request_buffers 8MB' : ''
}

/** The values that differ between machines; each must be in the file, so that the rest is tested as it is. */
function replaced(text: string, changes: Array<[string, string]>): string {
  return changes.reduce((current, [from, to]) => {
    expect(current).toContain(from)
    return current.replace(from, () => to)
  }, text)
}

const isInstalled = (name: string) =>
  spawnSync(name, ['version'], { stdio: 'ignore', env: { PATH } }).error === undefined

const proxies = { nginx, caddy }

test.runIf(process.env.CI)('both proxies are installed where changes are checked', () => {
  expect(Object.keys(proxies).filter((name) => !isInstalled(name))).toEqual([])
})

let folder: string
let first: App
let env: Record<string, string>
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'postrider-proxies-'))
  // As root, nginx runs its workers as another user.
  chmodSync(folder, 0o711)
  makeCertificate(folder, HOST)
  env = await databaseEnvironment()
  first = await openApp({ env })
})
afterAll(async () => {
  await first.stop()
  rmSync(folder, { recursive: true, force: true })
})

interface Reply {
  status: number
  type: string
  text: string
}

function callProxy(port: number, method: string, path: string, body?: string, apiKey = first.apiKey): Promise<Reply> {
  const headers = { host: HOST, authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const ca = readFileSync(join(folder, 'certificate.pem'))
  return new Promise((resolve, reject) => {
    const call = request(
      { host: '127.0.0.1', port, servername: HOST, ca, method, path, headers, agent: false },
      (reply) => {
        let text = ''
        reply.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        reply.once('end', () =>
          resolve({ status: reply.statusCode ?? 0, type: String(reply.headers['content-type']), text }),
        )
      },
    )
    call.once('error', reject)
    call.end(body)
  })
}

const message = (bytes: number) =>
  JSON.stringify({
    message: { to: { email: 'ada@example.com' }, content: { body: 'Hello' }, data: { t: 'x'.repeat(bytes) } },
  })

describe.each(Object.entries(proxies).filter(([name]) => isInstalled(name)))('%s', (name, command) => {
  let second: App
  let proxy: ChildProcess | undefined
  let port: number
  let plainPort: number
  let output = ''
  beforeAll(async () => {
    second = await openApp({ env })
    const place = join(folder, name)
    mkdirSync(place, { mode: 0o755 })
    for (const file of ['certificate.pem', 'key.pem'])
      writeFileSync(join(place, file), readFileSync(join(folder, file)))
    port = await freePort()
    plainPort = await freePort()
    const nodes = [first, second].map(({ url }) => new URL(url).host)
    const [program = '', ...args] = command({ folder: place, port, plainPort, nodes })
    const child = spawn(program, args, {
      env: { PATH, HOME: place, XDG_DATA_HOME: place, XDG_CONFIG_HOME: place },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    proxy = child
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const isReady = () => callProxy(port, 'GET', '/readyz').then(({ status }) => status === 200)
    await until(
      () => isReady().catch(() => false),
      (ready) => {
        if (child.exitCode !== null) throw new Error(`${name} ended: ${output}`)
        return ready
      },
    )
  })
  afterAll(async () => {
    if (proxy?.exitCode === null) {
      const ended = once(proxy, 'exit')
      proxy.kill('SIGTERM')
      await ended
    }
    await second.stop()
  })

  test('a send through TLS is accepted and delivered', async () => {
    const body = { event: 'welcome', recipient: `by-${name}`, profile: { email: 'ada@example.com' } }
    const { status, text } = await callProxy(port, 'POST', '/send', JSON.stringify(body))
    expect([status, text]).toEqual([200, expect.stringContaining('messageId')])
    const { messageId } = JSON.parse(text)
    await until(
      () => first.client.messages.get(messageId),
      (message) => message.status === 'DELIVERED',
    )
  })

  test('the paths of operators stay inside, however they are written, with the key of an operator too', async () => {
    expect((await first.call('GET', '/metrics')).status).toBe(200)
    for (const path of [
      '/metrics',
      '/metrics/',
      '//metrics',
      '/%6detrics',
      '/x/../metrics',
      '/metrics?x=1',
      '/diagnostics',
    ])
      expect([path, (await callProxy(port, 'GET', path)).status]).toEqual([path, 404])
    expect((await callProxy(port, 'GET', '/docs')).status).toBe(200)
  })

  test('a body as large as Postrider takes passes; a larger one is refused by Postrider itself', async () => {
    expect((await callProxy(port, 'POST', '/send', message(5_900_000))).status).toBe(202)
    const refused = await callProxy(port, 'POST', '/send', message(6_600_000))
    expect([refused.status, refused.type]).toEqual([413, 'application/json'])
  })

  test.runIf(name === 'nginx')('HTTP is redirected to HTTPS', async () => {
    const reply = await fetch(`http://127.0.0.1:${plainPort}/docs`, { redirect: 'manual', headers: { host: HOST } })
    expect([reply.status, reply.headers.get('location')]).toEqual([301, expect.stringMatching(/^https:\/\/.*\/docs$/)])
  })

  test('while a node stops, calls are answered by the other one', async () => {
    const stopping = second.stop()
    for (let call = 0; call < 30; call++)
      expect((await callProxy(port, 'POST', '/send', message(10))).status, output.slice(-2_000)).toBe(202)
    await stopping
    for (let call = 0; call < 10; call++)
      expect((await callProxy(port, 'POST', '/send', message(10))).status, output.slice(-2_000)).toBe(202)
  })
})
