/** The published packages as their users meet them: packed, installed in empty folders, serving, sending, backing up. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'postrider-packages-'))
const key = 'pk_prod_packages-0123456789abcdef'
const SECOND = 1_000
const examples = ['password-reset', 'order-shipped', 'digest']

/** Nothing of the checkout: no variable of npm, none of the service. */
const ofCheckout = /^(?:npm_|POSTRIDER_|NODE_OPTIONS$|INIT_CWD$)/i
const outside = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofCheckout.test(name)))
const environment = (more = {}) => ({ ...outside, ...more })
const npm = (args, cwd) =>
  execFileSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    env: environment(),
    encoding: 'utf8',
    timeout: 120 * SECOND,
  })

/** Makes an archive and refuses what no user needs. */
function pack(workspace) {
  const [packed] = JSON.parse(npm(['pack', '--json', '--workspace', workspace, '--pack-destination', folder], root))
  const unwanted = packed.files.filter(({ path }) =>
    /\.test\.|\.tsbuildinfo$|(^|\/)(src|test)\/|(?<!\.d)\.ts$/.test(path),
  )
  if (unwanted.length > 0) throw new Error(`${workspace} holds ${unwanted.map(({ path }) => path).join(', ')}`)
  const sizes = `${packed.files.length} files, ${(packed.size / 1e6).toFixed(2)} MB packed, ${(packed.unpackedSize / 1e6).toFixed(2)} MB unpacked`
  console.log(`${packed.filename}: ${sizes}`)
  return join(folder, packed.filename)
}

async function install(name, archive) {
  const place = join(folder, name)
  await mkdir(place)
  await writeFile(join(place, 'package.json'), '{"private":true,"type":"module"}')
  npm(['install', '--ignore-scripts', archive], place)
  return place
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  probe.close()
  return port
}

async function ready(server, url) {
  const began = Date.now()
  while (Date.now() - began < 90 * SECOND) {
    if (server.exitCode !== null) throw new Error(`The server ended with ${server.exitCode}`)
    const reply = await fetch(`${url}/readyz`).catch(() => undefined)
    if (reply?.ok) return Date.now() - began
    await pause(20)
  }
  throw new Error('The server is not ready after 90 s')
}

let server
let output = ''
try {
  console.log(`Node ${process.version}`)
  const command = await install('command', pack('postrider'))
  const program = await install('program', pack('@postrider/client'))
  const { bin } = JSON.parse(await readFile(join(command, 'node_modules/postrider/package.json'), 'utf8'))
  const script = join(command, 'node_modules/postrider', bin.postrider)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = environment({
    POSTRIDER_PORT: String(port),
    POSTRIDER_URL: url,
    POSTRIDER_API_KEY: key,
    POSTRIDER_DATA_DIR: join(folder, 'data'),
  })
  const start = () => {
    const child = spawn(process.execPath, [script, 'serve'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
    return child
  }
  const stop = async (child) => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const [code] = await Promise.race([ended, pause(60 * SECOND, ['still running after 60 s'], { ref: false })])
    if (code !== 0) throw new Error(`The server did not stop cleanly: ${code}`)
  }
  const run = (...args) =>
    execFileSync(process.execPath, [script, ...args], { cwd: folder, env, encoding: 'utf8', timeout: 60 * SECOND })

  server = start()
  console.log(`first start ready after ${await ready(server, url)} ms`)
  await stop(server)
  server = start()
  console.log(`later start ready after ${await ready(server, url)} ms`)

  const sent = JSON.parse(run('send', 'welcome', 'ada', '--profile', 'email=ada@example.com', '--wait', '--json'))
  console.log(`the command sent ${JSON.stringify(sent)}`)
  // The examples as copied files, with the client installed from its archive.
  for (const example of examples) {
    await copyFile(join(root, `examples/${example}/dist/${example}.js`), join(program, `${example}.js`))
    execFileSync(process.execPath, [`${example}.js`], { cwd: program, env, encoding: 'utf8', timeout: 60 * SECOND })
    console.log(`the client ran the example ${example}, and what it sent has arrived`)
  }

  const listed = JSON.parse(run('messages', 'list', '--json'))
  const statuses = (listed.results ?? listed).map(({ status }) => status)
  const expected = ['DELIVERED', 'DELIVERED', 'DELIVERED', 'DELIVERED', 'DIGESTED', 'DIGESTED', 'DIGESTED']
  if (statuses.sort().join() !== expected.join()) throw new Error(`The messages are ${statuses.join()}`)
  run('backup', 'backup.tar.gz')
  console.log(`backed up and checked: ${(await stat(join(folder, 'backup.tar.gz'))).size} bytes`)
  await stop(server)
  console.log('stopped')
} catch (error) {
  console.error(error)
  console.error(output.slice(-8_000))
  process.exitCode = 1
} finally {
  server?.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
}
