/** Fastify, BullMQ and a Redis server of its own that flushes its log to disk before it answers a write. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { CALLS_MAX, serve } from './serve.js'

const NAME = 'messages'

serve(async (deliver) => {
  const redis = await startRedis()
  const queue = new Queue(NAME, {
    connection: new Redis(redis.socket),
    defaultJobOptions: {
      attempts: 5,
      backoff: { type: 'exponential', delay: 1_000 },
      removeOnComplete: { age: 3_600, count: 1_000 },
      removeOnFail: { age: 24 * 3_600 },
    },
  })
  const connection = new Redis(redis.socket, { maxRetriesPerRequest: null })
  const worker = new Worker(NAME, (job) => deliver({ id: String(job.id), data: job.data }), {
    connection,
    concurrency: CALLS_MAX,
  })
  // Without a listener an error of the connection would end the process.
  for (const emitter of [queue, worker]) emitter.on('error', (error) => console.error(error))
  return {
    add: async (data, delayMs) => String((await queue.add('send', data, { delay: delayMs })).id),
    async close() {
      await worker.close()
      await queue.close()
      await redis.stop()
    },
  }
})

async function startRedis() {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-bench-redis-'))
  const socket = join(folder, 'redis.sock')
  const settings = {
    port: '0',
    unixsocket: socket,
    dir: folder,
    save: '',
    appendonly: 'yes',
    appendfsync: 'always',
    'maxmemory-policy': 'noeviction',
  }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
  const server = spawn('redis-server', args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = new Promise((resolve, reject) => {
    server.once('exit', resolve)
    server.once('error', (cause) => reject(new Error('redis-server did not start; is it installed?', { cause })))
  })
  process.once('exit', () => server.kill('SIGKILL'))
  const endedEarly = ended.then((code) => Promise.reject(new Error(`redis-server ended with ${code}`)))
  await Promise.race([ready(socket), endedEarly])
  endedEarly.catch(() => undefined)
  return {
    socket,
    async stop() {
      server.kill()
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function ready(path) {
  const client = new Redis(path, { lazyConnect: true, retryStrategy: () => 50, maxRetriesPerRequest: null })
  client.on('error', () => undefined)
  while ((await client.ping().catch(() => undefined)) !== 'PONG') await pause(50)
  client.disconnect()
}
