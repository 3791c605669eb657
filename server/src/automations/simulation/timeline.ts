/** The timeline of a simulation: every step by time, with the messages it would send. */
import type { SimulatedMessage, SimulatedStep } from '@postrider/contract'
import { iso } from '../../base/time/timestamp.ts'
import type { Target } from '../../recipients/read-recipients.ts'
import type { SimulatedRequest } from './in-memory-data.ts'
import type { InMemoryRuns, SimulatedRun } from './in-memory-store.ts'
import { type PreviewMessage, previewRequest } from './message-preview.ts'
import type { RecipientPreview } from './recipient-preview.ts'

type PreviewRequest = Pick<SimulatedStep, 'messages' | 'request'>

/** Explained messages of one send to many: the other sends need explanations too. */
const EXPLAINED_A_REQUEST_MAX = 25

export async function timelineOf(
  runsInMemory: InMemoryRuns,
  previewMessage: PreviewMessage,
  previewRecipients: (request: SimulatedRequest) => Promise<RecipientPreview>,
): Promise<SimulatedStep[]> {
  const told = await previewsByStep(runsInMemory, previewMessage, previewRecipients)
  const steps = [...runsInMemory.runs.values()].flatMap((run) =>
    [...run.steps.values()].map((step): SimulatedStep & { began: number } => {
      const { started, ended, position, action, reason, result } = step
      return {
        began: started,
        at: iso(started),
        run_id: run.start.id,
        position,
        action,
        status: statusOf(run, step.status),
        ...(reason !== undefined && { reason }),
        ...(ended !== undefined && { ended_at: iso(ended) }),
        ...(ended !== undefined && ended > started && { waited_ms: ended - started }),
        ...(result && { result }),
        ...told.get(`${run.start.id} ${position}`),
      }
    }),
  )
  // The sort is stable: steps of the same time stay in the order of runs and steps.
  return steps.sort((one, other) => one.began - other.began).map(({ began: _began, ...step }) => step)
}

/** By run and position. Messages to single recipients come first, so that lists do not use up the explanations. */
async function previewsByStep(
  { data: { sends, requests } }: InMemoryRuns,
  previewMessage: PreviewMessage,
  previewRecipients: (request: SimulatedRequest) => Promise<RecipientPreview>,
): Promise<Map<string, PreviewRequest>> {
  const told = new Map<string, PreviewRequest & { messages: SimulatedMessage[] }>()
  for (const send of sends) {
    const message = await previewMessage(previewRequest(send))
    const place = `${send.runId} ${send.position}`
    const { messages } = told.get(place) ?? { messages: [] }
    messages.push(message)
    told.set(place, { messages })
  }
  for (const request of requests) {
    const { runId, position, at, written, addressing } = request
    const { messages: found, recipients, more } = await previewRecipients(request)
    const messages: SimulatedMessage[] = []
    for (const [index, one] of found.entries()) {
      const bare = index >= EXPLAINED_A_REQUEST_MAX
      messages.push(await previewMessage({ ...one, at, notBefore: addressing.notBefore, written, bare }))
    }
    const to = addressing.targets.flatMap(inWords)
    told.set(`${runId} ${position}`, { messages, request: { to, recipients, ...(more && { more }) } })
  }
  return told
}

const statusOf = (run: SimulatedRun, status: SimulatedStep['status']) =>
  run.status === 'CANCELED' && status === 'WAITING' ? 'CANCELED' : status

function inWords(target: Target): string[] {
  switch (target.kind) {
    case 'users':
      return target.users.flatMap((user) => (user ? [`user ${user.recipient}`] : []))
    case 'list':
      return [`list ${target.listId}`]
    case 'pattern':
      return [`lists ${target.pattern}`]
    case 'audience':
      return [`audience ${target.audienceId}`]
    case 'tenant':
      return [`tenant ${target.tenantId}`]
    case 'bulk':
      return []
  }
}
