/** The first minute of a new user: `npm start` on an empty folder, one send, its delivery, a clean stop. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const folder = await mkdtemp(join(tmpdir(), 'postrider-start-'))
const port = await new Promise((resolve) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address()
    probe.close(() => resolve(port))
  })
})
const url = `http://127.0.0.1:${port}`
const key = 'first-send-0123456789abcdef'

// A group of its own: what npm leaves behind is found, and ends with it.
const server = spawn('npm', ['start'], {
  detached: true,
  stdio: ['ignore', 'pipe', 'pipe'],
  env: {
    ...process.env,
    POSTRIDER_PORT: String(port),
    POSTRIDER_DATA_DIR: join(folder, 'data'),
    POSTRIDER_API_KEY: key,
  },
})
let output = ''
let ended
server.stdout.on('data', (text) => (output += text))
server.stderr.on('data', (text) => (output += text))
const exited = new Promise((resolve) => server.once('close', (code, signal) => resolve((ended = signal ?? code))))

function isLeft() {
  try {
    return process.kill(-server.pid, 0)
  } catch {
    return false
  }
}

function signal(name) {
  try {
    process.kill(-server.pid, name)
  } catch {
    // It has ended already.
  }
}

// A signal to this script stops the server as well.
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'])
  process.on(name, () => {
    signal('SIGKILL')
    process.exit(1)
  })

async function until(what, seconds, look) {
  const deadline = Date.now() + seconds * 1000
  let last
  while (Date.now() < deadline) {
    if (ended !== undefined) throw new Error(`The server ended (${ended}) before ${what}`)
    try {
      last = await look()
      if (last.done) return last.value
    } catch (error) {
      last = error
    }
    await pause(100)
  }
  throw new Error(`Not ${what} within ${seconds} s`, { cause: last })
}

const call = async (method, path, body) => {
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
  const reply = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
  return JSON.parse(text)
}

try {
  const began = Date.now()
  await until('ready', 90, async () => ({ done: (await fetch(`${url}/readyz`)).ok }))
  console.log(`ready after ${Date.now() - began} ms`)
  const sent = await call('POST', '/send', {
    event: 'welcome',
    recipient: 'ada',
    profile: { email: 'ada@example.com' },
    data: { name: 'Ada' },
  })
  const status = await until('delivered', 10, async () => {
    const message = await call('GET', `/messages/${sent.messageId}`)
    return { done: message.status === 'DELIVERED', value: message.status, message }
  })
  console.log(`${sent.messageId} is ${status}`)
  // As with a service manager, only npm gets the signal.
  server.kill('SIGTERM')
  const code = await Promise.race([exited, pause(15_000, 'still running after 15 s', { ref: false })])
  // npm reports the signal that it passed on; the server itself leaves with 0.
  if (code !== 0 && code !== 'SIGTERM' && code !== 143) throw new Error(`The server did not stop cleanly: ${code}`)
  if (isLeft()) throw new Error('npm has ended and left the server behind')
  console.log('stopped')
} catch (error) {
  console.error(error)
  console.error(output.slice(-8_000))
  process.exitCode = 1
} finally {
  signal('SIGKILL')
  await rm(folder, { recursive: true, force: true })
}
