/** Nodes: the processes of this installation, each with a row that it writes again and again. */
import { nodesMax } from '@postrider/contract'
import { DAY } from '../../../base/time/duration.ts'
import type { Engine, Reader } from '../../engine.ts'
import { query, type Row, rows } from '../../query.ts'

/** The state that a node reports of itself. */
export interface NodeState {
  role: 'all' | 'api' | 'worker'
  in_flight: number
  calls: number
  connections: { open: number; idle: number; waiting: number }
  /** Absent in rows of an earlier release, like the next one. */
  memory_bytes?: number
  event_loop_p99_ms?: number | null
  started_messages: number
  p50_ms: number | null
  p95_ms: number | null
}

const COLUMNS = ['id', 'version', 'started', 'seen', 'stopped', 'state'] as const

export type NodeRow = Omit<Row<'nodes', (typeof COLUMNS)[number]>, 'state'> & { state: NodeState }

// Those of yesterday go with the same write.
const write = `with gone as (delete from nodes where seen < $4::bigint - ${DAY} and id <> $1)
  insert into nodes (id, version, started, seen, state) values ($1, $2, $3, $4, $5)
  on conflict (id) do update set seen = excluded.seen, state = excluded.state`

export async function writeNode(
  engine: Engine,
  { version, started, state }: Pick<NodeRow, 'version' | 'started' | 'state'>,
  now: number,
): Promise<void> {
  const values = [engine.node, version, started, now, JSON.stringify(state)]
  await engine.run({ text: write, values, name: 'write-node' })
}

/** It ended well: nothing is in progress there. */
export async function stopNode(engine: Engine, now: number): Promise<void> {
  await engine.run({ text: 'update nodes set seen = $2, stopped = $2 where id = $1', values: [engine.node, now] })
}

/** Seen last first. */
export async function listNodes(engine: Reader): Promise<NodeRow[]> {
  const selection = query.selectFrom('nodes').select(COLUMNS).orderBy('seen', 'desc').orderBy('id')
  return (await rows(engine, selection.limit(nodesMax))) as unknown as NodeRow[]
}
