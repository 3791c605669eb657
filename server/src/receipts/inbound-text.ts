/** A text message that came in, to what follows from it: STOP suppresses the number, START lifts that, HELP is answered, and webhooks get all of them. */
import { hash } from 'node:crypto'
import { timedId } from '../base/ids.ts'
import type { JsonObject } from '../base/json/json.ts'
import { HOUR } from '../base/time/duration.ts'
import type { Reader, Statement } from '../database/engine.ts'
import { optOutsDelete, suppressionsInsert } from '../database/tables/suppressions/suppressions.ts'
import { outboxInsert, TEXT_RECEIVED } from '../database/tables/webhooks/webhook-outbox.ts'
import type { Send } from '../messages/send.ts'
import { type NormalAddress, normalAddress, shownAddress } from '../providers/address.ts'
import type { InboundText, Keyword } from '../providers/callback.ts'
import { keywordOf } from '../providers/inbound-keyword.ts'

/** The integration whose number it came in at. */
export interface Receiver {
  workspaceId: number
  id: string
  provider: string
  settings: JsonObject
}

export interface InboundEffects {
  /** The list of suppressed addresses changes with them. */
  changesSuppressions: boolean
  writes: Statement[]
  /** The answer to HELP. Its key lets one through for each number and hour. */
  answer?: Send
}

/** Texts of people are short: ten segments. */
const TEXT_MAX = 1_600

export function effectsOf(
  inbound: InboundText,
  receiver: Receiver,
  tokens: Pick<Reader['tokens'], 'fingerprint'>,
  now: number,
): InboundEffects {
  const { workspaceId, provider } = receiver
  // A short code or the name of a sender is no address of a person, and nothing can be sent to it.
  const number = normalAddress('phone_number', inbound.from)
  const keyword = inbound.keyword ?? keywordOf(inbound.text)
  const event = outboxInsert(
    [{ workspaceId, type: TEXT_RECEIVED, data: eventOf(inbound, receiver, number && keyword) }],
    now,
  )
  if (!number) return { changesSuppressions: false, writes: [event] }
  switch (keyword) {
    case 'stop':
      return { changesSuppressions: true, writes: [event, optOut(number, receiver, now)] }
    case 'start':
      return { changesSuppressions: true, writes: [event, optOutsDelete(workspaceId, number, provider, tokens)] }
    case 'help': {
      const answer = answerTo(shownAddress(number), receiver, tokens, now)
      return { changesSuppressions: false, writes: [event], ...(answer && { answer }) }
    }
    default:
      return { changesSuppressions: false, writes: [event] }
  }
}

/** An address that is on the list keeps its entry. */
const optOut = (number: NormalAddress, { workspaceId, provider }: Receiver, now: number): Statement =>
  suppressionsInsert([
    {
      ...{ workspace_id: workspaceId, id: timedId(now), ...number, reason: 'unsubscribed' },
      ...{ source: `inbound/${provider}`, message_id: null, note: null, person: null, created: now, ends: null },
    },
  ])

function eventOf({ id, from, to, text, at }: InboundText, { id: integration, provider }: Receiver, keyword?: Keyword) {
  const shown = (number: string) => {
    const address = normalAddress('phone_number', number)
    return address ? shownAddress(address) : number
  }
  return {
    ...(id !== undefined && { id }),
    from: shown(from),
    ...(to !== undefined && { to: shown(to) }),
    text: text.slice(0, TEXT_MAX).toWellFormed(),
    received: at,
    ...{ provider, integration },
    ...(keyword && { keyword }),
  }
}

/** A send like any other: it is retried, has a history, and respects the list of suppressed addresses. */
function answerTo(
  phoneNumber: string,
  { workspaceId, id, provider, settings: { helpText } }: Receiver,
  tokens: Pick<Reader['tokens'], 'fingerprint'>,
  now: number,
): Send | undefined {
  if (typeof helpText !== 'string' || helpText === '') return undefined
  const place = tokens.fingerprint(workspaceId, `help ${id} ${phoneNumber}`)
  return {
    workspaceId,
    mode: 'live',
    input: {
      event: '',
      content: { body: helpText },
      recipient: `anon_${hash('sha256', place).slice(0, 32)}`,
      profile: { phone_number: phoneNumber },
      routing: { method: 'single', channels: ['sms'] },
      channels: { sms: { providers: [provider] } },
    },
    idempotency: { route: 'inbound.help', key: place, expires: now + HOUR },
  }
}
