/** Finds other nodes on the same database, for commands that need exclusive access. */
import { setTimeout as pause } from 'node:timers/promises'
import { SECOND } from '../base/time/duration.ts'
import type { Engine } from './engine.ts'

class OtherNodes extends Error {
  override readonly name = 'OtherNodes'
}

/** The connections of a process that just ended are closed within this time; those of a running node stay. */
const WAIT_MS = 5 * SECOND
const POLL_MS = 100

/** Throws `OtherNodes`. The engine must be idle, because its connections look like those of a node. */
export async function refuseOtherNodes(engine: Engine, waitMs = WAIT_MS): Promise<void> {
  const deadline = Date.now() + waitMs
  for (;;) {
    const hosts = await connectedHosts(engine)
    if (hosts.length === 0) return
    if (Date.now() > deadline)
      throw new OtherNodes(
        `Another Postrider is connected to this database, from ${hosts.join(', ')}. Stop every node first`,
      )
    await pause(POLL_MS)
  }
}

async function connectedHosts(engine: Engine): Promise<string[]> {
  const { rows } = await engine.run<{ host: string }>({
    text: `select distinct coalesce(host(client_addr), 'this machine') as host from pg_stat_activity
      where datname = current_database() and application_name = 'postrider' and pid <> pg_backend_pid() order by 1`,
    values: [],
  })
  return rows.map(({ host }) => host)
}
