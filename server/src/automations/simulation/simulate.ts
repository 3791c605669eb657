/** Simulates an automation: runs it in memory, and explains each message as of its time. */
import {
  FurtherRun,
  type SimulatedMessage,
  type SimulatedStep,
  type Simulation,
  SimulationBody,
} from '@postrider/contract'
import { startTimeBudget } from '../../base/budget.ts'
import { invalidField, invalidRequest } from '../../base/errors.ts'
import { childId, timedIdFloor } from '../../base/ids.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { quoted } from '../../base/quote.ts'
import { checkFieldNames, collectWarnings, type Report, refuse } from '../../base/schema/unknown-fields.ts'
import { endOfDuration } from '../../base/time/calendar-duration.ts'
import { iso } from '../../base/time/clock.ts'
import { nextTime } from '../../base/time/opening-hours.ts'
import type { Mode, SendInput } from '../../messages/send.ts'
import type { Explained, ExplainOptions } from '../../messages/timeline/explain.ts'
import type { Target } from '../../recipients/read-recipients.ts'
import { checkSize, readAutomation, workIn } from '../definition/automation.ts'
import { checkBeside, checkContext, checkWritten } from '../definition/validation.ts'
import { reportUnknownZones } from '../profile-zones.ts'
import { readContext } from '../run.ts'
import { startOf } from '../runs/initial-state.ts'
import type { StoredReader } from '../runs/stored-reader.ts'
import type { SimulatedRequest } from './in-memory-data.ts'
import { createInMemoryRuns, type InMemoryRuns, type SimulatedRun, type SimulationData } from './in-memory-store.ts'
import { overridesOf } from './overrides.ts'
import {
  createMessagePreviews,
  createRecipientPreviews,
  digestsOf,
  type PreviewMessage,
  previewRequest,
  type RecipientPreview,
} from './previews.ts'

export interface SimulationContext {
  workspaceId: number
  mode: Mode
  secret: Buffer
  /** Stored data, for everything that the caller does not supply. */
  storedReader: StoredReader
  explain(workspaceId: number, mode: Mode, input: SendInput, options: ExplainOptions): Promise<Explained>
}

/** Throws a 400. */
export async function simulate(body: SimulationBody, options: SimulationContext, now: number): Promise<Simulation> {
  checkFieldNames(SimulationBody, body, { at: '', what: 'a simulation', report: refuse })
  for (const [index, next] of (body.further ?? []).entries())
    checkFieldNames(FurtherRun, next, { at: `further.${index}`, what: 'a further run', report: refuse })
  const { workspaceId, mode, secret, storedReader, explain } = options
  const start = startTime(body.start, now)
  const overrides = overridesOf(body, storedReader, workspaceId)
  const { previewMessage, statusOf, collected } = createMessagePreviews(
    (input, options) => explain(workspaceId, mode, input, options),
    overrides,
  )
  const statuses: Pick<SimulationData, 'statusOf'> = {
    statusOf: (ref, message, now) =>
      overrides.suppliedStatus(ref, message.send.input.event) ?? statusOf(previewRequest(message), now),
  }
  const runsInMemory = createInMemoryRuns({ ...overrides, ...statuses }, secret, start)
  const { warnings, report } = collectWarnings()
  await startSimulated(runsInMemory, body, { ...options, report }, overrides, start)
  const complete = await runsInMemory.play()
  const previewRecipients = createRecipientPreviews(
    (written, ...page) => storedReader.recipientsAfter(workspaceId, written.lists(overrides.lists), ...page),
    secret,
  )
  const topicOf = (topicId: string, recipient: string) => storedReader.topicDigest(workspaceId, topicId, recipient)
  const timeline = await timelineOf(runsInMemory, previewMessage, previewRecipients)
  return {
    start: iso(start),
    end: iso(runsInMemory.now()),
    complete,
    runs: [...runsInMemory.runs.values()].map(({ start: { id, source }, status, error }) => ({
      run_id: id,
      source: [...source],
      status,
      ...(error !== undefined && { error }),
    })),
    timeline,
    ...(warnings.length > 0 && { warnings }),
    digests: await digestsOf(runsInMemory, { collected, previewMessage, secret, topicOf }),
  }
}

function startTime(timestamp: SimulationBody['start'], now: number): number {
  const start = typeof timestamp === 'string' ? nextTime(timestamp, 'UTC', now) : (timestamp ?? now)
  // Ids hold the seconds since the epoch in eight hexadecimal digits.
  if (start === undefined || !(start >= 0) || start > 0xffffffff * 1_000)
    throw invalidField('start', 'must be a timestamp: ISO 8601, or milliseconds since the Unix epoch')
  return start
}

async function startSimulated(
  runsInMemory: InMemoryRuns,
  body: SimulationBody,
  options: SimulationContext & { report: Report },
  data: Pick<SimulationData, 'template'>,
  start: number,
): Promise<void> {
  const { automation, template_id: name, context = {}, further = [], templates = {} } = body
  if ((automation === undefined) === (name === undefined)) throw invalidRequest('Give either automation or template_id')
  const template = name === undefined ? undefined : await data.template(name)
  if (name !== undefined && !template)
    throw invalidRequest(`Unknown automation template ${quoted(name)}`, {
      code: 'unknown_template',
      param: 'template_id',
    })
  const budget = startTimeBudget(Number.POSITIVE_INFINITY)
  const first = { automation: (automation ?? template?.automation ?? {}) as JsonObject, templateId: template?.id }
  const startOne = async (number: number, at: number, automation: JsonObject | undefined, context: JsonObject) => {
    const place = number === 0 ? '' : `further.${number - 1}.`
    const isTemplate = automation === undefined && first.templateId !== undefined
    const named = automation === undefined ? 'automation' : `${place}automation`
    const run = {
      id: childId(options.secret, timedIdFloor(at), `run ${number}`),
      workspaceId: options.workspaceId,
      mode: options.mode,
      automation: automation ?? first.automation,
      context: readContext(context, `${place}context`),
      ...(isTemplate && first.templateId !== undefined && { templateId: first.templateId }),
      source: ['simulation'],
      depth: 0,
      created: at,
    }
    checkSize(workIn(run.automation), named)
    const read = readAutomation(run.automation, at, named)
    const started = startOf(run, read, named)
    reportUnknownZones(context.profile, `${place}context.profile`, options.report)
    checkBeside(run.automation, options.report, named)
    checkWritten(read, at, options.report, named)
    // A run of a stored template without a required field starts and fails, as in production.
    if (!isTemplate) checkContext(read, started.context, named)
    runsInMemory.start(started)
    await budget.yieldToEventLoop()
  }
  for (const [name, automation] of Object.entries(templates)) {
    const place = `templates.${name}`
    checkSize(automation as JsonObject, place)
    checkBeside(automation as JsonObject, options.report, place)
    checkWritten(readAutomation(automation as JsonObject, start, place), start, options.report, place)
  }
  await startOne(0, start, undefined, context)
  for (const [index, next] of further.entries()) {
    const at = endOfDuration(next.after, start)
    if (at === undefined)
      throw invalidField(
        `further.${index}.after`,
        `must be a duration: a whole number with a unit (\`2 days\`), or ISO 8601`,
      )
    await startOne(index + 1, at, next.automation, next.context ?? context)
  }
}

// The timeline shows every step by time, with the messages it would send.
type PreviewRequest = Pick<SimulatedStep, 'messages' | 'request'>

/** Explained messages of one send to many: the other sends need explanations too. */
const EXPLAINED_A_REQUEST_MAX = 25

async function timelineOf(
  runsInMemory: InMemoryRuns,
  previewMessage: PreviewMessage,
  previewRecipients: (request: SimulatedRequest) => Promise<RecipientPreview>,
): Promise<SimulatedStep[]> {
  const previews = await previewsByStep(runsInMemory, previewMessage, previewRecipients)
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
        ...previews.get(`${run.start.id} ${position}`),
      }
    }),
  )
  // The sort is stable: steps of the same time stay in the order of runs and steps.
  return steps.sort((left, right) => left.began - right.began).map(({ began: _began, ...step }) => step)
}

/** By run and position. Messages to single recipients come first, so that lists do not use up the explanations. */
async function previewsByStep(
  { data: { sends, requests } }: InMemoryRuns,
  previewMessage: PreviewMessage,
  previewRecipients: (request: SimulatedRequest) => Promise<RecipientPreview>,
): Promise<Map<string, PreviewRequest>> {
  const previews = new Map<string, PreviewRequest & { messages: SimulatedMessage[] }>()
  for (const send of sends) {
    const message = await previewMessage(previewRequest(send))
    const place = `${send.runId} ${send.position}`
    const { messages } = previews.get(place) ?? { messages: [] }
    messages.push(message)
    previews.set(place, { messages })
  }
  for (const request of requests) {
    const { runId, position, at, written, addressing } = request
    const { messages: requestMessages, recipients, more } = await previewRecipients(request)
    const messages: SimulatedMessage[] = []
    for (const [index, message] of requestMessages.entries()) {
      const bare = index >= EXPLAINED_A_REQUEST_MAX
      messages.push(await previewMessage({ ...message, at, notBefore: addressing.notBefore, written, bare }))
    }
    const to = addressing.targets.flatMap(targetTexts)
    previews.set(`${runId} ${position}`, { messages, request: { to, recipients, ...(more && { more }) } })
  }
  return previews
}

const statusOf = (run: SimulatedRun, status: SimulatedStep['status']) =>
  run.status === 'CANCELED' && status === 'WAITING' ? 'CANCELED' : status

function targetTexts(target: Target): string[] {
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
