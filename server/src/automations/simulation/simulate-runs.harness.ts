/** Runs automations in memory by a virtual clock, and reports their messages and their final statuses. */

import type { JsonObject } from '../../base/json/json.ts'
import { type RunStart, readContext } from '../run.ts'
import { startRun } from '../runs/initial-state.ts'
import { createInMemoryRuns, type InMemoryRuns, type SimulationData } from './in-memory-store.ts'

export const START = Date.UTC(2026, 2, 2, 9)

export interface RunInput {
  /** Milliseconds after the start. */
  after?: number
  context?: JsonObject
  automation?: JsonObject
  templateId?: string
  mode?: RunStart['mode']
  workspaceId?: number
}

export interface SimulatedRuns extends InMemoryRuns {
  sends: InMemoryRuns['data']['sends']
  requests: InMemoryRuns['data']['requests']
  run(number: number): NonNullable<ReturnType<InMemoryRuns['runs']['get']>>
  /** Statuses of the steps of a run, in order. */
  statuses(number: number): string[]
  /** The messages, with their time after the start. */
  sent(): { to: string; event: string; after: number; data: JsonObject }[]
}

export interface SimulationOptions extends Partial<Omit<SimulationData, 'profile'>> {
  /** By recipient; in a tenant by `recipient@tenant`. */
  profiles?: Record<string, JsonObject>
  /** A page of the subscribers of a list. */
  subscribers?(listId: string, after: string, limit: number): Promise<readonly string[]>
}

/** Starts runs of one automation, or of their own, and continues until no work is left. */
export async function simulateRuns(
  steps: readonly JsonObject[],
  inputs: readonly RunInput[] = [{}],
  options: SimulationOptions = {},
): Promise<SimulatedRuns> {
  const { profiles = {}, subscribers = async () => [], ...overrides } = options
  const runsInMemory = createInMemoryRuns(
    {
      profile: async (recipient, tenant) => profiles[tenant === undefined ? recipient : `${recipient}@${tenant}`],
      template: async () => undefined,
      lists: {
        matching: async () => [],
        recipients: async (ids, after, limit) =>
          (await subscribers(ids[0] ?? '', after, limit)).map((recipient) => ({ recipient })),
      },
      digestProblem: async () => undefined,
      digestOptOut: async () => undefined,
      sendRequest: async ({ url }) => ({
        kind: 'failure',
        failure: 'dns',
        message: `${url} is not there`,
        reached: false,
      }),
      statusOf: () => 'SENT',
      ...overrides,
    },
    Buffer.alloc(32, 1),
    START,
  )
  const ids = inputs.map((input, number) => {
    const run = startOf({ steps }, input, number)
    runsInMemory.start(run)
    return run.id
  })
  await runsInMemory.play()
  const runAt = (number: number) => {
    const run = runsInMemory.runs.get(ids[number] ?? '')
    if (!run) throw new Error(`There is no run ${number}`)
    return run
  }
  return {
    ...runsInMemory,
    sends: runsInMemory.data.sends,
    requests: runsInMemory.data.requests,
    run: runAt,
    statuses: (number) => [...runAt(number).steps.values()].map(({ status }) => status),
    sent: () =>
      runsInMemory.data.sends.map(({ at, send: { input } }) => ({
        to: input.recipient,
        event: input.event,
        after: at - START,
        data: input.data ?? {},
      })),
  }
}

function startOf(
  automation: JsonObject,
  { after = 0, context = {}, automation: template, templateId, mode = 'live', workspaceId = 1 }: RunInput,
  number: number,
): RunStart {
  return startRun({
    id: `1-00000000-${String(number).padStart(24, '0')}`,
    workspaceId,
    mode,
    automation: template ?? automation,
    context: readContext(context),
    ...(templateId !== undefined && { templateId }),
    source: ['api'],
    depth: 0,
    created: START + after,
  })
}

/** The reply of a server that answers every address with this. */
export const answering =
  (body: unknown, status = 200, headers: Record<string, string> = {}): SimulationData['sendRequest'] =>
  async () => ({ kind: 'http', status, headers, body: JSON.stringify(body) })
