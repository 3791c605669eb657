/** Why a message goes, or would go, this way: the pipeline's own decision, put into words. */
import type { Explanation, MessageExplanation, RenderedCandidate } from '@postrider/contract'
import type { JsonObject } from '../../base/json/json.ts'
import type { Content } from '../../base/rendered-content.ts'
import { maskTokens } from '../../base/secret.ts'
import { DraftInvalid } from '../../providers/provider.ts'
import { RenderFailed } from '../../templates/failure.ts'
import { type Way, ways } from '../decide/candidates.ts'
import { type Decision, decide, inWords } from '../decide/decide.ts'
import type { Question, Routed } from '../decide/decision.ts'
import { render } from '../decide/render.ts'
import { deliveryRecords, type StoredDelivery } from '../delivery.ts'
import type { DigestFacts } from '../facts.ts'
import type { Pinned } from '../leased-message.ts'
import { explainBrands } from './explain-brands.ts'

/** When, and because of what, a message is explained. */
export interface Moment {
  notBefore?: number | undefined
  /** As if it were then, with what is stored now. */
  at?: number
  /** It is for a subscriber of this list. */
  listId?: string | undefined
  /** Counts as the stored profile of the recipient. */
  storedProfile?: JsonObject | undefined
}

export interface Explained {
  explanation: Explanation
  /** What it would be kept for. */
  digest?: DigestFacts
}

export function explain(question: Question): Explanation {
  const decision = decide(question)
  const plan = decision.kind === 'routed' ? decision.plan : undefined
  const rendered = plan ? ways(plan.route).map((way) => show(plan, way)) : []
  const { notification, profile } = decision.kind === 'routed' ? decision.plan : decision.known
  const findings = notification?.template.findings ?? []
  return {
    decision: verdict(decision, rendered, question),
    ...(notification?.id && { notification: { id: notification.id, version: `v${notification.version}` } }),
    steps: [...decision.findings.map(inWords), ...(plan && rendered.length > 0 ? [renderStep(plan, rendered)] : [])],
    candidates: decision.considered.map((candidate) => titled(candidate, question)),
    rendered,
    ...(findings.length > 0 && { warnings: [...findings] }),
    profile: maskTokens(profile?.merged ?? question.input.profile ?? {}),
  }
}

/** Two integrations of one provider differ by their titles, which are not stored with each message. */
function titled<Named extends { integration?: string }>(named: Named, { facts }: Question): Named & { title?: string } {
  const found = facts.integrations.find(({ id }) => id === named.integration)
  return found ? { ...named, title: found.title } : named
}

function verdict(
  decision: Decision,
  rendered: readonly RenderedCandidate[],
  question: Question,
): Explanation['decision'] {
  if (decision.kind === 'paused') return { status: 'DELAYED', due_at: decision.stop.until }
  if (decision.kind === 'collected') return { status: 'DIGESTED', due_at: decision.stop.digest.until }
  if (decision.kind === 'stopped') {
    const { status, reason, error } = decision.stop
    return { status, ...(reason && { reason }), error }
  }
  // As its deliveries end one after the other: the last error is the one of the message.
  const { error } = rendered.at(-1) ?? {}
  if (error !== undefined && rendered.every(hasFailed)) return { status: 'UNDELIVERABLE', reason: 'FAILED', error }
  if (question.firstDue > question.now) return { status: 'DELAYED', due_at: question.firstDue }
  return { status: question.mode === 'mock' ? 'SIMULATED' : 'ROUTED' }
}

const hasFailed = ({ error }: RenderedCandidate) => error !== undefined

function renderStep(plan: Routed, rendered: readonly RenderedCandidate[]): Explanation['steps'][number] {
  const failed = rendered.filter(hasFailed)
  const words =
    failed.length === 0
      ? 'The words are ready for every candidate.'
      : `${failed.length} of ${rendered.length} candidates cannot be rendered.`
  const branding = explainBrands(plan, rendered)
  return {
    step: 'render',
    outcome: failed.length === rendered.length ? 'stopped' : 'passed',
    summary: [words, ...branding.summary].join(' '),
    facts: { rendered: rendered.length - failed.length, failed: failed.length, ...branding.facts },
  }
}

function show(plan: Routed, way: Way): RenderedCandidate {
  const { id: integration, title, provider } = way.integration
  const named = { channel: way.channel, provider: provider.key, integration, title }
  try {
    const { content, draft } = render(plan, way, 0)
    return { ...named, content: words(content), draft: maskTokens(draft, provider.key) }
  } catch (error) {
    if (error instanceof RenderFailed || error instanceof DraftInvalid)
      return { ...named, content: noWords, error: error.message }
    throw error
  }
}

const noWords = { html: '', title: '', body: '', subject: '', text: '', blocks: [] }

export function words({ html, title, body, subject, text, blocks }: Content): RenderedCandidate['content'] {
  return { html, title, body, subject, text, blocks }
}

/** The same after the fact: with the pinned candidates and what was done about them. */
export function explainMessage(
  question: Question,
  message: { id: string; status: string; reason: string | null; error: string | null },
  pinned: Pinned | undefined,
  deliveries: readonly StoredDelivery[],
): MessageExplanation {
  const explanation = explain(question)
  const status = message.status as MessageExplanation['message']['status']
  return {
    message: { id: message.id, status },
    ...explanation,
    ...(pinned?.considered && { candidates: pinned.considered.map((candidate) => titled(candidate, question)) }),
    deliveries: deliveryRecords(message.id, deliveries).map((record) => titled(record, question)),
  }
}
