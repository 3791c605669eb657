/** Effects of publishing a draft: recent messages, decided and rendered with it and with the published version. */
import { type ChangedMessage, type ComparedSide, changedListed, type NotificationChanges } from '@postrider/contract'
import { startTimeBudget } from '../../base/budget.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { DAY, SECOND } from '../../base/time/duration.ts'
import type { Engine } from '../../database/engine.ts'
import { type ComparableMessage, comparableMessages } from '../../database/tables/messages/messages.ts'
import type { Notification } from '../facts.ts'
import type { Loader } from '../load/load.ts'
import type { SharedInputs } from '../load/shared-inputs.ts'
import { notificationOf, type WorkspaceConfigCache } from '../load/workspace-config-cache.ts'
import type { OwnInput, SendInput } from '../send.ts'
import { explain } from './explain.ts'

export interface VersionComparison {
  notificationId: string
  /** Numbers of versions; the payload of a draft that is not stored. */
  published: number
  draft: number | JsonObject
  /** Messages that are compared. */
  limit: number
}

export interface ComparisonOptions {
  engine: Engine
  loader: Loader
  sharedInputs: SharedInputs
  configCache: Pick<WorkspaceConfigCache, 'version' | 'routed'>
  now(): number
}

const PERIOD_MS = DAY
/** A reader waits for it. */
const TIME_MS = 5 * SECOND
/** Each input has up to 6 MB. */
const MESSAGES_A_READ = 10
/** All contents of a reply together; the first message has its contents whatever their length. */
const CHARACTERS_MAX = 2_000_000

export async function compareVersions(
  workspaceId: number,
  comparison: VersionComparison,
  options: ComparisonOptions,
): Promise<NotificationChanges> {
  const { notificationId, limit } = comparison
  const published = await notificationNamed(workspaceId, comparison, comparison.published, options)
  const draft = await notificationNamed(workspaceId, comparison, comparison.draft, options)
  const findings = createFindings()
  const budget = startTimeBudget(TIME_MS)
  const since = options.now() - PERIOD_MS
  let isComplete = true
  let before: string | undefined
  for (let compared = 0; compared < limit && isComplete; ) {
    const bounds = { notificationId, since, before, limit: Math.min(MESSAGES_A_READ, limit - compared) }
    const messages = await comparableMessages(options.engine, workspaceId, bounds)
    const sides = await loadSides(messages, published, draft, options)
    for (const [n, message] of messages.entries()) {
      if (budget.isOver()) {
        isComplete = false
        break
      }
      findings.add(message, sides.published(n), sides.draft(n))
      await budget.yieldToEventLoop()
    }
    compared += messages.length
    before = messages.at(-1)?.id
    if (messages.length < bounds.limit) break
  }
  return { published: `v${comparison.published}`, ...findings.summary(), complete: isComplete }
}

/** A version that this release refuses has no content, which its messages show. */
async function notificationNamed(
  workspaceId: number,
  { notificationId }: VersionComparison,
  version: number | JsonObject,
  { configCache }: ComparisonOptions,
): Promise<Notification | undefined> {
  const notification =
    typeof version === 'number'
      ? await configCache.version(workspaceId, notificationId, version)
      : notificationOf(notificationId, 0, version)
  return notification && configCache.routed(workspaceId, notification)
}

/** The same messages, loaded for each of the versions: brands, topics and translations are those of the version. */
async function loadSides(
  messages: readonly ComparableMessage[],
  published: Notification | undefined,
  draft: Notification | undefined,
  { engine, loader, sharedInputs }: ComparisonOptions,
) {
  const inputs = await sharedInputs.complete(
    messages.map(({ request_id: requestId, workspace_id, input }) => ({
      requestId,
      ownInput: JSON.parse(engine.tokens.decryptText(workspace_id, input)) as OwnInput,
    })),
  )
  const load = (notification: Notification | undefined) =>
    loader.load(
      messages.map((message, n) => ({
        // Without its id: links in the content are those of no message.
        ...{ message: { ...message, id: '' }, input: inputs[n] as SendInput, snapshot: undefined },
        ...(notification && { notification }),
      })),
    )
  const [ofPublished, ofDraft] = await Promise.all([load(published), load(draft)])
  const side = (decisionInputs: typeof ofDraft) => (n: number) => {
    const { first_due: due } = messages[n] as ComparableMessage
    return sideOf(explain({ ...(decisionInputs[n] as (typeof ofDraft)[number]), now: due, firstDue: due }))
  }
  return { published: side(ofPublished), draft: side(ofDraft) }
}

function sideOf({ decision, candidates, rendered }: ReturnType<typeof explain>): ComparedSide {
  const { status, reason, error } = decision
  const tried = candidates.filter(({ selected }) => selected).toSorted((a, b) => a.order - b.order)
  return {
    status,
    ...(reason && { reason }),
    ...(error !== undefined && { error }),
    route: tried.map(({ channel, provider = '', integration = '' }) => ({ channel, provider, integration })),
    rendered: rendered.map(({ channel, provider, content, error: failure }) => ({
      ...{ channel, provider, content },
      ...(failure !== undefined && { error: failure }),
    })),
  }
}

function createFindings() {
  const failing: ChangedMessage[] = []
  const others: ChangedMessage[] = []
  let compared = 0
  let failed = 0
  let changed = 0
  let oldest: number | null = null
  let characters = 0
  return {
    add({ id, recipient, enqueued }: ComparableMessage, published: ComparedSide, draft: ComparedSide): void {
      compared += 1
      oldest = enqueued
      const differs = differences(published, draft)
      if (differs.length === 0) return
      const fails = isFailing(draft) && !isFailing(published)
      changed += 1
      if (fails) failed += 1
      const list = fails ? failing : others
      if (list.length === changedListed) return
      const isFirst = characters === 0
      characters += charactersOf(published) + charactersOf(draft)
      const shown =
        isFirst || characters <= CHARACTERS_MAX
          ? { published, draft }
          : { published: withoutContent(published), draft: withoutContent(draft) }
      list.push({ message_id: id, recipient, enqueued, differs, fails, ...shown })
    },
    summary: () => ({ compared, changed, failed, oldest, results: [...failing, ...others].slice(0, changedListed) }),
  }
}

function differences(published: ComparedSide, draft: ComparedSide): ChangedMessage['differs'] {
  const isSame = (part: (side: ComparedSide) => unknown) =>
    JSON.stringify(part(published)) === JSON.stringify(part(draft))
  return [
    ...(isSame(({ status, reason, error }) => [status, reason, error]) ? [] : (['status'] as const)),
    ...(isSame(({ route }) => route) ? [] : (['route'] as const)),
    ...(isSame(({ rendered }) => rendered) ? [] : (['content'] as const)),
  ]
}

const isFailing = ({ error, rendered }: ComparedSide) =>
  error !== undefined || rendered.some((candidate) => candidate.error !== undefined)

const charactersOf = ({ rendered }: ComparedSide) => JSON.stringify(rendered).length

const withoutContent = (side: ComparedSide): ComparedSide => ({
  ...side,
  rendered: side.rendered.map(({ content: _, ...candidate }) => candidate),
})
