/** The processes of a campaign on one database: started with a crash point, watched, and each crash recorded. */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
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
  /** Resolves when the node is ready, or false when it ended before. */
  start(node: number, failpoint?: string): Promise<boolean>
  isUp(node: number): boolean
  kill(node: number): Promise<void>
  /** Resolves when the node is ready again; a fault when it is not, or has ended. */
  recovers(node: number): Promise<void>
  /** Requests a backup and reads it to its end, or until the node ends. */
  backUp(node: number): Promise<void>
  /** Stops it; its exit code or signal. */
  stop(node: number): Promise<number | NodeJS.Signals | undefined>
  /** False when it is still alive after `timeoutMs`. */
  endsWithin(node: number, timeoutMs: number): Promise<boolean>
}

interface NodeProcess {
  process: ServerProcess
  how: string
  ordered?: number
  requested?: 'kill' | 'stop'
  ended: boolean
}

// A first start creates the local database in about four seconds; two busy cores take their time.
const READY_MS = 60_000
// PostgreSQL replays its log first; a busy machine takes its time.
const RECOVERY_MS = 20_000
// A stop lets attempts in flight end, which the slow provider holds for about a second.
const STOP_MS = 35_000

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
      else if (nodeProcess.requested !== 'stop' || code !== 0)
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
    async start(node, failpoint) {
      const env = { ...environment, POSTRIDER_PORT: String(ports[node]) }
      const server = await spawnServer({ env: failpoint ? { ...env, POSTRIDER_FAILPOINT: failpoint } : env })
      const nodeProcess: NodeProcess = { process: server, how: failpoint ?? 'SIGKILL', ended: false }
      processes.set(node, nodeProcess)
      void watch(node, nodeProcess)
      const deadline = Date.now() + READY_MS
      while (!nodeProcess.ended && Date.now() < deadline) {
        if (await isReady(server)) return true
        await pause(20)
      }
      if (!nodeProcess.ended) faults.push(`Node ${node} was not ready within ${READY_MS} ms:\n${server.output()}`)
      return false
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
      for (
        const deadline = Date.now() + RECOVERY_MS;
        nodeProcess && !nodeProcess.ended && Date.now() < deadline;
        await pause(20)
      )
        if (await isReady(nodeProcess.process)) return
      faults.push(
        `Node ${node} was not ready again within ${RECOVERY_MS} ms:\n${nodeProcess?.process.output().slice(-4_000)}`,
      )
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
      return Promise.race([nodeProcess.process.exited, pause(STOP_MS, undefined, { ref: false })])
    },
    async endsWithin(node, timeoutMs) {
      const nodeProcess = running(node)
      if (!nodeProcess) return true
      const killed = nodeProcess.process.exited.then(() => true)
      return Promise.race([killed, pause(timeoutMs, false, { ref: false })])
    },
  }
}
