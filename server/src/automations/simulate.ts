/** What an automation would do: played in memory, each message explained as of its moment. */
import type { Explanation, MessageStatus, SimulatedMessage, SimulatedStep, Simulation } from '@postrider/contract'
import { FurtherRun, SimulationBody } from '@postrider/contract'
import { invalidRequest } from '../base/errors.ts'
import type { Failure, HttpReply, HttpRequest } from '../base/exchange.ts'
import { childId, timedIdFloor } from '../base/ids.ts'
import { isObject, type JsonObject, merge } from '../base/merge.ts'
import { iso } from '../base/moment.ts'
import type { Mode, SendInput } from '../pipeline/message.ts'
import type { Target } from '../pipeline/read-recipients.ts'
import { checkSize, readAutomation } from './automation.ts'
import { checkBeside, checkContext, checkWritten } from './checking.ts'
import { readContext } from './context.ts'
import { after, until } from './moments.ts'
import { startPace } from './pace.ts'
import { type Given, type Rehearsal, type RehearsedRun, type RehearsedSend, rehearse } from './rehearsal.ts'
import { startOf } from './start.ts'
import type { Stored } from './stored.ts'
import { checkFieldNames } from './unknown-fields.ts'

export interface SimulationHouse {
  workspaceId: number
  mode: Mode
  secret: Buffer
  /** What is used where the caller gives nothing. */
  stored: Stored
  explain(
    workspaceId: number,
    mode: Mode,
    input: SendInput,
    notBefore: number | undefined,
    at: number,
  ): Promise<Explanation>
}

/** Each is a decision with its words; a reply with more is read by nobody. */
const EXPLAINED_MAX = 100

/** Throws a 400. */
export async function simulate(body: SimulationBody, house: SimulationHouse, now: number): Promise<Simulation> {
  checkFieldNames(SimulationBody, body, '', 'a simulation')
  for (const [index, next] of (body.further ?? []).entries())
    checkFieldNames(FurtherRun, next, `further.${index}`, 'a further run')
  const start = momentOfStart(body.start, now)
  const given = givenBy(body, house)
  const rehearsal = rehearse(given, house.secret, start)
  await begin(rehearsal, body, house, given, start)
  const complete = await rehearsal.play()
  return {
    start: iso(start),
    end: iso(rehearsal.now()),
    complete,
    runs: [...rehearsal.runs.values()].map(({ start: { id, source }, status, error }) => ({
      run_id: id,
      source: [...source],
      status,
      ...(error !== undefined && { error }),
    })),
    timeline: await timelineOf(rehearsal, house, given),
  }
}

function momentOfStart(given: SimulationBody['start'], now: number): number {
  const start = typeof given === 'string' ? until(given, 'UTC', now) : (given ?? now)
  // Ids hold the seconds since the epoch in eight digits.
  if (start === undefined || !(start >= 0) || start > 0xffffffff * 1_000) throw invalidRequest('start must be a moment')
  return start
}

async function begin(
  rehearsal: Rehearsal,
  body: SimulationBody,
  house: SimulationHouse,
  given: Given,
  start: number,
): Promise<void> {
  const { automation, template_id: name, context = {}, further = [], templates = {} } = body
  if ((automation === undefined) === (name === undefined)) throw invalidRequest('Give either automation or template_id')
  const template = name === undefined ? undefined : await given.template(name)
  if (name !== undefined && !template) throw invalidRequest(`There is no automation template \`${name}\``)
  const pace = startPace(Number.POSITIVE_INFINITY)
  const first = { automation: (automation ?? template?.automation ?? {}) as JsonObject, templateId: template?.id }
  const one = async (number: number, at: number, own: JsonObject | undefined, given: JsonObject) => {
    const place = number === 0 ? '' : `further.${number - 1}.`
    const isTemplate = own === undefined && first.templateId !== undefined
    const named = own === undefined ? 'automation' : `${place}automation`
    const run = {
      id: childId(house.secret, timedIdFloor(at), `run ${number}`),
      workspaceId: house.workspaceId,
      mode: house.mode,
      automation: own ?? first.automation,
      context: readContext(given, `${place}context`),
      ...(isTemplate && first.templateId !== undefined && { templateId: first.templateId }),
      source: ['simulation'],
      depth: 0,
      created: at,
    }
    const read = readAutomation(run.automation, at, named)
    const begun = startOf(run, read, named)
    checkSize(begun.automation, named)
    if (!isTemplate) checkBeside(run.automation, named)
    checkWritten(read, at, named)
    checkContext(read, begun.context, named)
    rehearsal.begin(begun)
    await pace.breathe()
  }
  for (const [name, automation] of Object.entries(templates)) {
    const place = `templates.${name}`
    checkBeside(automation as JsonObject, place)
    checkWritten(readAutomation(automation as JsonObject, start, place), start, place)
  }
  await one(0, start, undefined, context)
  for (const [index, next] of further.entries()) {
    const at = after(next.after, start)
    if (at === undefined) throw invalidRequest(`further.${index}.after must be a duration`)
    await one(index + 1, at, next.automation, next.context ?? context)
  }
}

function givenBy(
  { profiles = {}, lists = {}, fetched = {}, statuses = {}, templates = {} }: SimulationBody,
  house: SimulationHouse,
): Given {
  const { stored, workspaceId } = house
  return {
    profile: async (recipient, tenantId) =>
      (own(profiles, recipient) as JsonObject | undefined) ??
      (await stored.profile(workspaceId, recipient, tenantId))?.profile,
    async template(name) {
      const automation = own(templates, name)
      return isObject(automation) ? { id: name, automation } : stored.template(workspaceId, name)
    },
    async subscribers(listId, after, limit) {
      const list = own(lists, listId) as string[] | undefined
      if (!list) return stored.subscribers(workspaceId, listId, after, limit)
      return [...new Set(list)]
        .sort()
        .filter((recipient) => recipient > after)
        .slice(0, limit)
    },
    digestUnwanted: (topicId, recipient, now) => stored.digestUnwanted({ workspaceId, topicId, recipient }, now),
    digestRefusal: (topicId, data) => stored.digestRefusal(workspaceId, topicId, data),
    ask: async (request) => answerOf(request, fetched),
    statusOf: (ref, event) =>
      ((ref === undefined ? undefined : own(statuses, ref)) ?? own(statuses, event) ?? 'SENT') as MessageStatus,
  }
}

function own<Value>(map: Record<string, Value>, name: string): Value | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined
}

function answerOf({ url }: HttpRequest, fetched: Record<string, unknown>): HttpReply | Failure {
  const [bare = url] = url.split('?')
  const known = own(fetched, url) ?? own(fetched, bare) ?? own(fetched, bare.replace(/\/$/, ''))
  if (known !== undefined) return { kind: 'http', status: 200, headers: {}, body: JSON.stringify(known) }
  const message = `The simulation was given no answer of ${bare}`
  return { kind: 'failure', failure: 'invalid_request', message, reached: false }
}

async function timelineOf(rehearsal: Rehearsal, house: SimulationHouse, given: Given): Promise<SimulatedStep[]> {
  const messages = new Map<string, SimulatedMessage[]>()
  for (const [index, sent] of rehearsal.sends.entries()) {
    const place = `${sent.runId} ${sent.position}`
    const explanation = index < EXPLAINED_MAX ? await explained(sent, house, given) : undefined
    messages.set(place, [...(messages.get(place) ?? []), messageOf(sent, explanation)])
  }
  const requests = new Map(rehearsal.requests.map((request) => [`${request.runId} ${request.position}`, request]))
  const steps = [...rehearsal.runs.values()].flatMap((run) =>
    [...run.steps.values()].map((step): SimulatedStep & { began: number } => {
      const place = `${run.start.id} ${step.position}`
      const [made, request] = [messages.get(place), requests.get(place)]
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
        ...(made && { messages: made }),
        ...(request && { request: { to: request.addressing.targets.flatMap(inWords) } }),
      }
    }),
  )
  // Steady: of one moment they stay in the order of runs and steps.
  return steps.sort((one, other) => one.began - other.began).map(({ began: _began, ...step }) => step)
}

const statusOf = (run: RehearsedRun, status: SimulatedStep['status']) =>
  run.status === 'CANCELED' && status === 'WAITING' ? 'CANCELED' : status

async function explained({ send, at, profile }: RehearsedSend, house: SimulationHouse, given: Given) {
  const { input, notBefore } = send
  const stored = profile ?? (await given.profile(input.recipient, input.tenantId)) ?? {}
  const whole = { ...input, profile: merge(stored, input.profile) }
  return house.explain(house.workspaceId, house.mode, whole, notBefore, Math.max(at, notBefore ?? at))
}

function messageOf({ id, send: { input } }: RehearsedSend, explanation: Explanation | undefined): SimulatedMessage {
  const goes = explanation && ['ROUTED', 'SIMULATED', 'DELAYED'].includes(explanation.decision.status)
  const selected = goes ? explanation.candidates.filter((candidate) => candidate.selected) : []
  return {
    message_id: id,
    recipient: input.recipient,
    event: input.event,
    channels: [...new Set(selected.map(({ channel }) => channel))],
    ...(explanation && { explanation }),
  }
}

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
