/** The steps of an erasure, in their order: each finds a bounded part of what is left, and the commit that removes it. */
import { timedId } from '../base/ids.ts'
import { openReply } from '../database/idempotent-replies.ts'
import { erasableMessages, hasMessages, messagesWork } from '../database/tables/erasure/messages.ts'
import { bulkUsersWork, fenceWork, nextNamingRequest, requestRewrite } from '../database/tables/erasure/requests.ts'
import {
  digestsWork,
  hasDigests,
  hasMailbox,
  mailboxWork,
  repliesAfter,
  repliesWork,
  type Swept,
  sweepWork,
  sweptUpTo,
} from '../database/tables/erasure/traces.ts'
import { namingPattern } from './pseudonym.ts'
import { bareFlush, withoutRecipient } from './redact-message.ts'
import { standsAt, withoutPerson } from './redact-request.ts'
import type { Move, Step } from './step.ts'

/** With their history some megabytes at most. */
const MESSAGES_A_STEP = 200
/** Their texts are searched. */
const REQUESTS_A_STEP = 200
/** A slice for which no other statement waits long. */
const ROWS_A_STEP = 1_000
/** Each has up to 500 events. */
const DIGESTS_A_STEP = 100
/** Each is decrypted. */
const REPLIES_A_STEP = 500

const sweep =
  (swept: Swept): Step =>
  async (erasure, { engine }) => {
    const last = await sweptUpTo(engine, swept, erasure, ROWS_A_STEP)
    const work = sweepWork(swept, erasure, last, namingPattern(erasure.person))
    return { work, left: last === undefined ? { kind: 'nothing' } : { kind: 'more', place: last } }
  }

/** Runs, requests and digests before the messages they make. */
export const steps = {
  fence: async (erasure, { now }) => ({ work: fenceWork(erasure, now()), left: { kind: 'nothing' } }),
  runs: sweep('runs'),
  requests: async (erasure, { engine, now }) => {
    const { naming, last } = await nextNamingRequest(engine, erasure, REQUESTS_A_STEP)
    if (naming && naming.due_at !== null && standsAt(naming, erasure.person)) return { left: { kind: 'held' } }
    const left: Move['left'] = last === undefined ? { kind: 'nothing' } : { kind: 'more', place: last }
    const work = bulkUsersWork(erasure, last, naming?.id, now())
    if (!naming) return { work, left }
    const { removed, ...parts } = withoutPerson(naming, erasure.person)
    const counts = `jsonb_build_object('requestRecipients', ${removed}) || ${work.counts}`
    return { first: requestRewrite(naming, parts, now()), work: { ...work, counts }, left }
  },
  // What would become a message; in whose hands it is does not matter.
  digests: async (erasure, { engine }) =>
    (await hasDigests(engine, erasure))
      ? { work: digestsWork(erasure, DIGESTS_A_STEP), left: { kind: 'more', place: null } }
      : { left: { kind: 'nothing' } },
  messages: async (erasure, { engine, now }) => {
    const time = now()
    const { messages, history } = await erasableMessages(engine, erasure, time, MESSAGES_A_STEP)
    if (messages.length === 0)
      return { left: (await hasMessages(engine, erasure)) ? { kind: 'held' } : { kind: 'nothing' } }
    const { person, pseudonym } = erasure
    const erased = messages.map((message) => withoutRecipient(message, person, pseudonym, timedId(time)))
    const work = messagesWork(erasure, erased, history.map(bareFlush), time)
    return { work, left: { kind: 'more', place: null } }
  },
  mailbox: async (erasure, { engine }) =>
    (await hasMailbox(engine, erasure))
      ? { work: mailboxWork(erasure, ROWS_A_STEP), left: { kind: 'more', place: null } }
      : { left: { kind: 'nothing' } },
  replies: async (erasure, { engine, secretKey }) => {
    const after = erasure.place === null ? { route: '', key: '' } : JSON.parse(erasure.place)
    const replies = await repliesAfter(engine, erasure, after, REPLIES_A_STEP)
    const naming = new RegExp(namingPattern(erasure.person), 'u')
    const found = replies.filter((one) => naming.test(openReply(secretKey, erasure.workspace_id, one) ?? ''))
    const last = replies.length < REPLIES_A_STEP ? undefined : replies.at(-1)
    const place = last && JSON.stringify({ route: last.route, key: last.key })
    return {
      work: repliesWork(erasure, found),
      left: place === undefined ? { kind: 'nothing' } : { kind: 'more', place },
    }
  },
  inbound: sweep('inbound'),
  webhooks: sweep('webhooks'),
  audit: sweep('audit'),
  // What was about to be committed when the runs were swept: a page of a list that was read with the person on it.
  lateRuns: sweep('runs'),
} satisfies Record<string, Step>

export type StepName = keyof typeof steps
