/** Runs an adapter against prepared replies, without a network: for its tests and the comparisons with SDKs. */
import { hash } from 'node:crypto'
import type { Channel } from '@postrider/contract'
import { batchedRequest, replyToAll } from '../base/batched-request.ts'
import type { HttpReply, MailRequest, Reply, Request } from '../base/exchange.ts'
import { isObject, type JsonObject, merge } from '../base/json/json.ts'
import { signedMail } from '../base/mime/dkim.ts'
import { buildMail } from '../base/mime/mime.ts'
import type { Content } from '../base/rendered-content.ts'
import type { CallbackOutcome, CallbackRequest } from './callback.ts'
import type { Attempt, EmailOptions, MessageView, Outcome, Provider, PushOptions } from './provider.ts'
import { applyConfig, splitSecrets } from './settings.ts'
import { suppressionBy } from './suppression.ts'

export { signedHeaders } from './aws.ts'

export interface Scene {
  profile: JsonObject
  settings: JsonObject
  channel?: Channel
  content?: Partial<Content>
  email?: EmailOptions
  push?: PushOptions
  /** Else `RUN_AT`. */
  now?: number
  locale?: string
  message?: Partial<MessageView>
  /** `override.<provider>`, its `config` included. */
  override?: JsonObject
  callbackUrl?: string
  bounceAddressFor?: Attempt<unknown, JsonObject, JsonObject>['bounceAddressFor']
}

export interface AdapterRun {
  draft: JsonObject
  /** In the order in which they were yielded. */
  requests: Request[]
  outcome: Outcome
}

/** 2026-11-20 12:00 UTC, the time of a run. */
export const RUN_AT = Date.UTC(2026, 10, 20, 12)

const CONTENT: Content = { subject: '', title: '', html: '', text: '', body: '', blocks: [], actions: [] }

/** Throws where a real delivery is impossible: no contact, an invalid draft, more requests than replies. */
export function runAdapter(provider: Provider, scene: Scene, ...replies: Reply[]): AdapterRun {
  return runWith(provider, scene, (_request, index) => {
    const reply = replies[index]
    if (!reply) throw new Error(`${provider.key} makes more requests than there are replies`)
    return reply
  })
}

/** The same, with a reply made for each request. */
export function runWith(
  provider: Provider,
  scene: Scene,
  answer: (request: Request, index: number) => Reply,
): AdapterRun {
  const { draft, steps } = started(provider, scene)
  const requests: Request[] = []
  let step = steps.next()
  while (!step.done) {
    requests.push(step.value)
    step = steps.next(answer(step.value, requests.length - 1))
  }
  return { draft, requests, outcome: step.value }
}

/** Messages that share a call, which the service answers with `reply`: the call, and the outcome of each. */
export function runBatch(provider: Provider, scenes: readonly Scene[], reply: HttpReply) {
  const messages = scenes.map((scene) => {
    const { steps } = started(provider, scene)
    const { value: request, done } = steps.next()
    if (done || request.kind !== 'http' || !request.inBatch) throw new Error(`${provider.key} sends it alone`)
    return { steps, request, inBatch: request.inBatch }
  })
  const { batch } = provider
  if (!batch) throw new Error(`${provider.key} has no batches`)
  const replies = batch.replies(reply, messages.length)
  const outcomes = messages.map(({ steps }, n) => {
    const step = steps.next(replies?.[n] ?? replyToAll(reply))
    if (!step.done) throw new Error(`${provider.key} makes a second request`)
    return step.value
  })
  return { request: batchedRequest(messages), isOfEach: replies !== undefined, outcomes }
}

function started(provider: Provider, scene: Scene) {
  const { config, ...changes } = scene.override ?? {}
  const channel = scene.channel ?? provider.channels[0] ?? 'email'
  const recipient = scene.message?.recipient ?? 'ada'
  const message: MessageView = {
    id: '1-691f0000-0000000000000000000000ab',
    deliveryId: 'delivery-1',
    workspace: 'workspace-1',
    event: 'welcome',
    notification: 'WELCOME',
    data: {},
    profile: () => scene.profile,
    ...scene.message,
    recipient,
  }
  const { settings } = applyConfig(provider, scene.settings, config)
  const to = provider.contact(scene.profile, settings, { recipient, channel })
  if (to === undefined) throw new Error(`${provider.key} cannot reach ${recipient}`)
  const shown = splitSecrets(provider, settings).settings
  const content = { ...CONTENT, ...scene.content }
  const options = { email: scene.email ?? {}, push: scene.push ?? {} }
  const locale = scene.locale ? { locale: scene.locale } : {}
  const composed = provider.compose({ content, channel, ...options, to, settings: shown, message, ...locale })
  const draft = merge(composed, changes)
  const { callbackUrl, bounceAddressFor } = scene
  const steps = provider.deliver({
    ...{ draft, to, settings, message, channel, now: scene.now ?? RUN_AT, random: fixedBytes() },
    ...(callbackUrl !== undefined && { callbackUrl }),
    ...(bounceAddressFor && { bounceAddressFor }),
  })
  return { draft, steps }
}

/** The bytes of a mail as the transport sends them. */
export async function mailBytes({ mail, dkim }: MailRequest): Promise<Buffer> {
  const { text } = buildMail(mail)
  return Buffer.from(dkim ? await signedMail(text, dkim, mail.date) : text, 'latin1')
}

/** The outcome of a callback, with a reply for each request that reading it yields. */
export function runCallback(
  { key, callbacks }: Provider,
  settings: JsonObject,
  request: Partial<CallbackRequest>,
  ...replies: Reply[]
): CallbackOutcome {
  if (!callbacks) throw new Error(`${key} has no callbacks`)
  const whole = {
    method: 'POST' as const,
    url: 'https://postrider.test/callbacks/token',
    headers: {},
    body: Buffer.alloc(0),
  }
  const steps = callbacks.read({ ...whole, now: RUN_AT, ...request }, settings)
  if ('kind' in steps) return steps
  let step = steps.next()
  for (let index = 0; !step.done; index += 1) {
    const reply = replies[index]
    if (!reply) throw new Error(`${key} makes more requests than there are replies`)
    step = steps.next(reply)
  }
  return step.value
}

/** The effect of each receipt of a callback: `bounced HARD: hard_bounce of ada@example.com`, where it suppresses an address. */
export function receiptEffects(outcome: CallbackOutcome, channel: Channel): string[] {
  if (outcome.kind !== 'accepted') return [outcome.error]
  return outcome.receipts.map((receipt) => {
    const { kind, gone, address } = receipt
    const strength = kind === 'bounced' ? ` ${gone ? 'HARD' : 'SOFT'}` : ''
    const suppressed = suppressionBy(receipt, channel, address)
    return `${kind}${strength}${suppressed ? `: ${suppressed.reason} of ${suppressed.address}` : ''}`
  })
}

/** Bodies of callbacks that are no list of events, or a list of none that mean anything. */
export const garbageBodies = ['', 'x', '[', 'null', '7', '"x"', '[]', '{}', '[null, 7, "x", [], {}]'].concat(
  [
    { event: {}, type: [], msys: null, data: [], Type: 1 },
    { RecordType: {}, 'event-data': 'x', msys: { a: 1 } },
  ].map((event) => JSON.stringify(event)),
)

/** The same bytes in every run, each number of them once. */
function fixedBytes(): (size: number) => Buffer {
  let calls = 0
  return (size) => Buffer.from(hash('sha256', `bytes ${(calls += 1)}`), 'hex').subarray(0, size)
}

/** An HTTP reply; an object becomes JSON. */
export function replied(status: number, body: unknown = '', headers: Record<string, string> = {}): HttpReply {
  return { kind: 'http', status, headers, body: isObject(body) ? JSON.stringify(body) : String(body) }
}
