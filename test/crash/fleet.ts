/** The processes of a campaign on one database: started with a failpoint, watched, and each crash recorded. */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { lastLine } from '@postrider/server/internal/base/failpoint'
import { createLog } from '@postrider/server/internal/base/log'
import { MINUTE } from '@postrider/server/internal/base/time/duration'
import { openPostgres } from '@postrider/server/internal/database/postgres'
import { voidEveryLease } from '@postrider/server/internal/database/queues'
import { freePort } from '../support/free-port.ts'
import { isReady, type ServerProcess, spawnServer } from '../support/process.ts'
import type { Ledger } from './ledger.ts'

/** The folder of a local database, or the address of one on PostgreSQL. */
export type Place = { engine: 'local'; folder: string } | { engine: 'postgres'; url: string }

export interface Fleet {
  apiKey: string
  urls: string[]
  /** The part of the environment that names the database and its secret key. */
  database: Record<string, string>
  /** How processes ended that should not have, with their last words. */
  faults: string[]
  /**
   * Resolves when the node is ready, or false when it ended before; rejects when it hangs. Nothing waits for the leases
   * of a single node that was killed: they are void when it starts again, as on a local database.
   */
  start(node: number, options?: StartOptions): Promise<boolean>
  isUp(node: number): boolean
  kill(node: number): Promise<void>
  /** Resolves when the node is ready again, or has ended; rejects when it hangs. */
  recovers(node: number): Promise<void>
  /** Requests a backup and reads it to its end, or until the node ends. */
  backUp(node: number): Promise<void>
  /** Stops it; its exit code or signal. */
  stop(node: number): Promise<number | NodeJS.Signals | undefined>
  /**
   * Resolves when the node has ended at its failpoint; or with false, once the work is done that would lead there. Rejects
   * when it hangs.
   */
  reached(node: number, isDone?: () => Promise<boolean>): Promise<boolean>
}

interface StartOptions {
  /** `name` or `name:nth`: where the process ends. */
  failpoint?: string | undefined
  /** A process that works on nothing of what it accepts. */
  role?: 'api'
}

interface NodeProcess {
  process: ServerProcess
  failpoint: string | undefined
  how: string
  ordered?: number
  requested?: 'kill' | 'stop'
  ended: boolean
}

/**
 * A process that takes longer to start, to end, or to reach its failpoint hangs: each takes seconds, and it is no measure
 * of how many.
 */
export const HANGS_MS = 2 * MINUTE

export async function openFleet(place: Place, size: number, leaseSeconds: number, ledger: Ledger): Promise<Fleet> {
  // The prefix of a key names its kind: a random one might be that of a draft key.
  const apiKey = `pk_prod_${randomBytes(24).toString('base64url')}`
  const ports = await Promise.all(Array.from({ length: size }, () => freePort()))
  const processes = new Map<number, NodeProcess>()
  const faults: string[] = []
  const database: Record<string, string> =
    place.engine === 'local'
      ? { POSTRIDER_DATA_DIR: place.folder }
      : { POSTRIDER_DATABASE_URL: place.url, POSTRIDER_SECRET_KEY: randomBytes(32).toString('base64') }
  const environment: Record<string, string> = {
    POSTRIDER_API_KEY: apiKey,
    POSTRIDER_ALLOW_PRIVATE_NETWORK: 'true',
    POSTRIDER_LEASE_SECONDS: String(leaseSeconds),
    POSTRIDER_LOG_LEVEL: 'warn',
    ...database,
  }

  const watch = (node: number, nodeProcess: NodeProcess) =>
    nodeProcess.process.exited.then((code) => {
      const gone = Date.now()
      nodeProcess.ended = true
      if (code === 'SIGKILL') ledger.kills.push({ node, how: nodeProcess.how, at: nodeProcess.ordered ?? gone, gone })
      if (!isPlanned(nodeProcess, code))
        faults.push(`Node ${node} ended with ${code}:\n${nodeProcess.process.output().slice(-4_000)}`)
    })

  // An early end of this process must not leave servers behind.
  process.once('exit', () => {
    for (const nodeProcess of processes.values()) if (!nodeProcess.ended) nodeProcess.process.kill('SIGKILL')
  })

  const running = (node: number): NodeProcess | undefined => {
    const nodeProcess = processes.get(node)
    return nodeProcess?.ended ? undefined : nodeProcess
  }

  return {
    apiKey,
    database,
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    faults,
    isUp: (node) => running(node) !== undefined,
    async start(node, { failpoint, role } = {}) {
      if (size === 1 && place.engine === 'postgres') await voidLeases(place.url)
      const env = {
        ...environment,
        POSTRIDER_PORT: String(ports[node]),
        ...(failpoint && { POSTRIDER_FAILPOINT: failpoint }),
        ...(role && { POSTRIDER_ROLE: role }),
      }
      const nodeProcess: NodeProcess = {
        process: await spawnServer({ env }),
        failpoint,
        how: failpoint ?? 'SIGKILL',
        ended: false,
      }
      processes.set(node, nodeProcess)
      void watch(node, nodeProcess)
      return untilReady(node, nodeProcess)
    },
    async kill(node) {
      const nodeProcess = running(node)
      if (!nodeProcess) return
      nodeProcess.ordered = Date.now()
      nodeProcess.how = 'SIGKILL'
      nodeProcess.process.kill('SIGKILL')
      await nodeProcess.process.exited
    },
    async recovers(node) {
      const nodeProcess = running(node)
      if (nodeProcess) await untilReady(node, nodeProcess)
    },
    async backUp(node) {
      const url = `http://127.0.0.1:${ports[node]}/backup`
      const reply = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${apiKey}` } }).catch(
        () => undefined,
      )
      await reply?.arrayBuffer().catch(() => undefined)
    },
    async stop(node) {
      const nodeProcess = running(node)
      if (!nodeProcess) return undefined
      nodeProcess.requested = 'stop'
      nodeProcess.process.kill('SIGTERM')
      return Promise.race([nodeProcess.process.exited, pause(HANGS_MS, undefined, { ref: false })])
    },
    async reached(node, isDone = async () => false) {
      const nodeProcess = processes.get(node)
      if (!nodeProcess) throw new Error(`Node ${node} was not started`)
      for (const deadline = Date.now() + HANGS_MS; !nodeProcess.ended; await pause(50)) {
        if (await isDone().catch(() => false)) return false
        if (Date.now() > deadline) throw hanging(node, nodeProcess, `did not reach ${nodeProcess.failpoint}`)
      }
      return endedAtFailpoint(nodeProcess)
    },
  }
}

/** False when the process ended before. */
async function untilReady(node: number, nodeProcess: NodeProcess): Promise<boolean> {
  for (const deadline = Date.now() + HANGS_MS; !nodeProcess.ended; await pause(20)) {
    if (await isReady(nodeProcess.process)) return true
    if (Date.now() > deadline) throw hanging(node, nodeProcess, 'was not ready')
  }
  return false
}

/** It took longer than anything takes: the machine may stand still. */
export class Hang extends Error {
  override readonly name = 'Hang'
}

const hanging = (node: number, { process }: NodeProcess, what: string) =>
  new Hang(`Node ${node} ${what} within ${HANGS_MS} ms:\n${process.output().slice(-4_000)}`)

const endedAtFailpoint = ({ failpoint, process }: NodeProcess): boolean => {
  const [name] = failpoint?.split(':') ?? []
  return name !== undefined && process.output().includes(lastLine(name))
}

/** As it was stopped, killed, or to be killed by itself; another one may have killed it, as the kernel does without memory. */
function isPlanned(nodeProcess: NodeProcess, code: number | NodeJS.Signals): boolean {
  if (code === 'SIGKILL') return nodeProcess.ordered !== undefined || endedAtFailpoint(nodeProcess)
  return nodeProcess.requested === 'stop' && code === 0
}

async function voidLeases(connectionString: string): Promise<void> {
  const log = createLog('error')
  const engine = await openPostgres({ address: { connectionString }, kind: 'server', connectionsMax: 1, log })
  try {
    await voidEveryLease(engine, Date.now())
  } finally {
    await engine.close()
  }
}
