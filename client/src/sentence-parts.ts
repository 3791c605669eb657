/** The parts of sentences: clauses of a language, answers first, the rest of the truth after them. */
import type {
  Candidate,
  CandidateReason,
  CandidateSuppression,
  Channel,
  DecisionParamsByCode,
  DecisionStep,
  Explanation,
  Reason,
} from './generated.ts'
import { type ChannelChoice, decapitalized, type PreferencePlace, type SentenceFormat } from './sentence-format.ts'
import { type StepTexts, stepText } from './steps.ts'

/** Parts follow each other without anything between them; what stands in backticks is a code, an id or what a provider said. */
export interface SentencePart {
  text: string
  /** Says what happened; the other parts say the rest of the truth. */
  isAnswer: boolean
  /** The id of the delivery that proves it. */
  delivery?: string
}

/** The text of all parts. */
export const sentenceText = (parts: readonly SentencePart[]): string => parts.map(({ text }) => text).join('')

export type Clause = Omit<SentencePart, 'isAnswer'>
export type Words = Clause | string

type ParamsOf<Text> = Text extends (params: infer Params, ...rest: never[]) => string
  ? [params: Params, delivery?: string | undefined]
  : []
type ClauseText = string | ((params: unknown, format: SentenceFormat) => string)

export class Sentence<Texts extends object> {
  readonly parts: SentencePart[] = []
  #opening: Clause | undefined
  #isAnswered = false
  readonly #texts: Texts
  readonly #format: SentenceFormat
  readonly #steps: StepTexts

  constructor(texts: Texts, format: SentenceFormat, steps: StepTexts) {
    this.#texts = texts
    this.#format = format
    this.#steps = steps
  }

  clause<Name extends keyof Texts>(name: Name, ...[params, delivery]: ParamsOf<Texts[Name]>): Clause {
    const text = this.#texts[name] as ClauseText
    return {
      text: typeof text === 'string' ? text : text(params, this.#format),
      ...(delivery !== undefined && { delivery }),
    }
  }

  /** A step of the decision; of many missing addresses the first ones. */
  step(step: DecisionStep): string {
    return unmasked(stepText(this.#steps, brief(step, this.#format), this.#format))
  }

  provider(key: string): string {
    return this.#format.nameOf?.('provider', key) ?? key
  }

  /** An error on one line; empty where there is none, or none for this reader. */
  shown(error: string | undefined): string {
    const text = shown(error)
    return text === '' ? '' : (this.#format.error?.(text) ?? text)
  }

  /** The answer is given: the next sentence begins with this clause and a colon, and belongs to the rest like all after it. */
  continueWith(opening: Clause): void {
    this.#isAnswered = true
    this.#opening = opening
  }

  answer(words: readonly Words[]): void {
    this.#add(words, !this.#isAnswered)
  }

  rest(words: readonly Words[]): void {
    this.#add(words, false)
  }

  #add(words: readonly Words[], isAnswer: boolean): void {
    const before = this.parts.length === 0 ? '' : ' '
    const clauses = this.#opened(words).map((word) => (typeof word === 'string' ? { text: word } : word))
    const last = clauses.at(-1)
    const end = last && !/[.?]$/.test(last.text) ? [{ text: '.' }] : []
    for (const [at, clause] of [...clauses, ...end].entries()) {
      if (at === 0 && before !== '') this.parts.push({ text: before, isAnswer })
      this.parts.push({ ...clause, isAnswer })
    }
  }

  #opened(words: readonly Words[]): readonly Words[] {
    const opening = this.#opening
    if (!opening) return words
    this.#opening = undefined
    const [first, ...others] = words.map((word) => (typeof word === 'string' ? { text: word } : word))
    return [opening, ': ', ...(first ? [{ ...first, text: decapitalized(first.text) }] : []), ...others]
  }
}

/** One sentence names so many; the steps and the candidates have all. */
const NEEDS_MAX = 2

const isMisspelled = ({ misspelled }: { misspelled?: string | undefined }) => misspelled !== undefined

/** First those that a value of the profile was meant for. Steps and candidates have the rest of the truth. */
function brief(step: DecisionStep, { list }: SentenceFormat): DecisionStep {
  if (step.code !== 'no_address') return step
  const params = step.params as DecisionParamsByCode['no_address']
  const { needs, more } = params
  // Integrations of one channel mostly need the same.
  const alike = grouped(needs, ({ title: _, ...need }) => JSON.stringify(need)).map(([first, ...others]) => ({
    ...first,
    title: list([first, ...others].map(({ title }) => title)),
    count: 1 + others.length,
  }))
  const inOrder = [...alike.filter(isMisspelled), ...alike.filter((need) => !isMisspelled(need))]
  const left = inOrder.slice(NEEDS_MAX).reduce((sum, { count }) => sum + count, more)
  // The mailbox, which leaves a channel to a real integration, is no help to a person who looks for the address.
  const beside = needs.length > 0 ? { sandbox_channels: [], real_channels: [] } : {}
  return { ...step, params: { ...params, ...beside, needs: inOrder.slice(0, NEEDS_MAX), more: left } }
}

/** A candidate or a delivery as its reader knows it. */
export const nameOf = ({
  title,
  provider,
  channel,
}: {
  title?: string | undefined
  provider?: string | undefined
  channel: string
}) => title ?? provider ?? channel

/** In the order of the first of each group. */
export function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): [Item, ...Item[]][] {
  const groups = new Map<string, [Item, ...Item[]]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return [...groups.values()]
}

/** No address would help: a condition, a switch, or the will of the recipient. */
const leavingOut: ReadonlySet<CandidateReason | undefined> = new Set([
  ...(['CHANNEL_DISABLED', 'FILTERED', 'OPT_IN_REQUIRED', 'UNSUBSCRIBED'] as const),
])

/** Channels of the same fate, and what it rests on. */
export interface ChannelsNotTried {
  channels: Channel[]
  reason: CandidateReason
  /** With `UNSUBSCRIBED`: other channels were chosen. */
  choice?: ChannelChoice
  /** With `SUPPRESSED`. */
  suppression?: Suppression
}

export type Suppression = Pick<CandidateSuppression, 'reason' | 'created'>

type Decided = Pick<Explanation, 'candidates' | 'steps'>

/** The channels that a message without an address or an integration could have gone by, and why it could not. */
export function channelsLeftOut(reason: Reason | undefined, { candidates, steps }: Decided): ChannelsNotTried[] {
  if (reason !== 'INCOMPLETE_PROFILE_DATA' && reason !== 'NO_PROVIDERS') return []
  const real = candidates.filter((candidate) => candidate.reason !== 'SANDBOX')
  const leftOut = grouped(real, ({ channel }) => channel).filter((ofChannel) =>
    ofChannel.every((candidate) => leavingOut.has(candidate.reason)),
  )
  return byFate(
    leftOut.map(([first]) => first),
    steps,
  )
}

/** The channels of which no candidate is chosen, each by the reason of its first. The mailbox does not count. */
export const channelsNotTried = ({ candidates, steps }: Decided): ChannelsNotTried[] =>
  byFate(notChosen(candidates), steps).filter(({ reason }) => reason !== 'SANDBOX')

/** One candidate of each channel. */
function notChosen(candidates: readonly Candidate[]): Candidate[] {
  const chosen = new Set(candidates.filter(({ selected }) => selected).map(({ channel }) => channel))
  const firsts = new Map<Channel, Candidate>()
  for (const candidate of candidates) {
    const { channel, reason } = candidate
    if (!chosen.has(channel) && reason !== undefined && (firsts.get(channel)?.reason ?? 'SANDBOX') === 'SANDBOX')
      firsts.set(channel, candidate)
  }
  return [...firsts.values()]
}

function byFate(candidates: readonly Candidate[], steps: readonly DecisionStep[]): ChannelsNotTried[] {
  const choice = channelChoice(steps)
  // Each channel lacks an address of another kind.
  const groups = grouped(candidates, ({ channel, reason, suppression }) =>
    [reason, reason === 'INCOMPLETE_PROFILE_DATA' && channel, suppression?.reason, suppression?.created].join(' '),
  )
  return groups.map((group) => {
    const [{ reason = 'FILTERED', suppression }] = group
    return {
      ...{ channels: group.map(({ channel }) => channel), reason },
      ...(reason === 'UNSUBSCRIBED' && choice && { choice }),
      ...(suppression && { suppression }),
    }
  })
}

/** The will of the recipient, and an address that must not be used: said of a channel wherever it stands. */
const alwaysSaid: ReadonlySet<CandidateReason | undefined> = new Set(['SUPPRESSED', 'UNSUBSCRIBED'] as const)

/** Those of them that come before a way that is taken; where all ways are taken, those beside it, too. */
export function preferredNotTried(
  { candidates, steps }: Decided,
  isTaken: (candidate: Candidate) => boolean,
): ChannelsNotTried[] {
  const notes = steps.flatMap((step) => [step, ...(step.notes ?? [])])
  const routed = notes.find(({ code }) => code === 'routed')?.params as DecisionParamsByCode['routed'] | undefined
  const last = candidates.findLastIndex(isTaken)
  const isSaid = ({ selected, reason }: Candidate, at: number) =>
    routed?.method === 'all' || at <= last || selected || alwaysSaid.has(reason)
  // A channel that no send has named, and that has no integration of its own, is not missed.
  const isByDefault = notes.some(({ code }) => code === 'default_channels')
  const missed = notChosen(candidates.filter(isSaid))
  return byFate(
    missed.filter(({ reason }) => !isByDefault || (reason !== 'NO_PROVIDERS' && reason !== 'SANDBOX')),
    steps,
  )
}

export const unique = <Value>(values: readonly Value[]): Value[] => [...new Set(values)]

/** A text that the role of the reader does not see. */
const MASKED = '•••'
const unmasked = (text: string) => (text === MASKED ? '' : text)

const ERROR_MAX = 160

/** How the error of a delivery begins that an open circuit breaker has refused; the words of the provider follow. */
const BREAKER_OPEN = /^Circuit breaker open: /

/** The sentence around it ends it. */
const FULL_STOP = /(?<!\.)\.$/

/** The words of a provider on one line; empty where there are none, or none for this reader. */
export function shown(error = ''): string {
  const line = unmasked(error).replace(BREAKER_OPEN, '').replace(/\s+/gu, ' ').trim().replace(FULL_STOP, '')
  return line.length > ERROR_MAX ? `${line.slice(0, ERROR_MAX - 1)}…` : line
}

const preferenceSources: ReadonlySet<unknown> = new Set([
  'send',
  'subscription',
  'list',
  'recipient',
  'tenant',
  'topic',
])
const isPreference = (step: DecisionStep) => step.code === 'not_opted_in' || step.code.startsWith('opted_out')
const textOf = (value: unknown) => (typeof value === 'string' && unmasked(value) !== '' ? value : undefined)

/** Undefined for other steps; for a recipient without a known change, who has a document of preferences or a choice. */
export function placeOfPreference(step: DecisionStep): PreferencePlace | undefined {
  const { source, topic_id: topic, tenant_id: tenant, change } = step.facts
  if (!isPreference(step) || !preferenceSources.has(source) || (source === 'recipient' && !change)) return undefined
  return { source: source as PreferencePlace['source'], topic: textOf(topic), tenant: textOf(tenant) }
}

/** The channels that the preferences allow; undefined where they allow all. */
export function channelChoice(steps: readonly DecisionStep[]): ChannelChoice | undefined {
  const step = steps.find(({ code }) => code === 'channels_limited')
  if (!step) return undefined
  const { channels } = step.params as DecisionParamsByCode['channels_limited']
  const { channels_source: source } = step.facts
  return { channels, source: preferenceSources.has(source) ? (source as PreferencePlace['source']) : undefined }
}
