/** Bounces of a mail server, which come back as mails: the settings of its adapter, and the bounce codes. */
import { Type } from 'typebox'
import type { Mail } from '../base/exchange.ts'
import type { JsonObject } from '../base/json/json.ts'
import { checkAddress } from '../base/mail-address.ts'
import { type Callbacks, refused, tokenError } from './callback.ts'
import type { Gone } from './outcome.ts'
import { Address, inGroup, Secret } from './settings.ts'

/** 32 bytes in base 32. */
export const bounceTokenLength = 52
/** RFC 5321 §4.5.3.1.1: a local part has 64 octets; the token and its separator need the others. */
export const bounceMailboxLengthMax = 64 - bounceTokenLength - 1

/** A mail as its bounce address names it. */
export interface BouncingMail {
  workspaceId: number
  deliveryId: string
  /** Without a name. */
  addressee: string
  /** It goes to the others: a report says nothing about the delivery, and nothing about the addressee. */
  ofCopies: boolean
}

const TOKEN = new RegExp(`\\+([0-9a-v]{${bounceTokenLength}})@`)

/** The tokens of its envelope senders, as servers repeat them: by one of them anyone can make up a bounce. */
export const bounceTokens = ({ envelopeFrom = '', copiesFrom = '' }: Pick<Mail, 'envelopeFrom' | 'copiesFrom'>) =>
  [envelopeFrom, copiesFrom].flatMap((address) => {
    const [, token] = TOKEN.exec(address) ?? []
    return token === undefined ? [] : [token, token.toUpperCase()]
  })

export const bounceSettings = {
  ...inGroup('callbacks', {
    bounceAddress: Type.Optional(
      Address(
        'Bounce address',
        `The address for bounces, with at most ${bounceMailboxLengthMax} characters before the @. Mails get the envelope sender \`bounces+<token>@…\``,
      ),
    ),
    webhookToken: Type.Optional(
      Secret('Webhook token', 'A random text that verifies bounces posted to the callback address'),
    ),
  }),
}

/** The error of an address for bounces that has the form of an address. */
export function bounceAddressError({ bounceAddress }: JsonObject): string | undefined {
  if (typeof bounceAddress !== 'string') return undefined
  const [local = ''] = (checkAddress(bounceAddress) ?? '').split('@')
  if (local.length <= bounceMailboxLengthMax) return undefined
  return `bounceAddress: at most ${bounceMailboxLengthMax} characters can stand before the @, so that a token fits behind them`
}

export const bounceCallbacks: Callbacks<{ webhookToken?: string }> = {
  setup:
    'Set `bounceAddress`. Then let the mails to this address come in by LMTP, or by a POST to `callback_url` of the integration. A POST needs `webhookToken`. [Bounces](bounces.md) describes both.',
  read({ headers, body }, { webhookToken }) {
    const error = tokenError(headers, webhookToken, 'webhookToken')
    if (error !== undefined) return refused(error)
    return { kind: 'accepted', receipts: [], mail: { contentType: headers['content-type'] ?? '', body } }
  },
}

/**
 * The enhanced codes that say that an address does not exist: https://www.iana.org/assignments/smtp-enhanced-status-codes
 * Not 5.2.1, which large providers also give for too much mail, and no code without a detail.
 */
const GONE: ReadonlyMap<string, Gone> = new Map([
  ['1.1', 'hard_bounce'],
  ['1.2', 'hard_bounce'],
  ['1.3', 'invalid_address'],
  ['1.6', 'hard_bounce'],
  ['1.10', 'hard_bounce'],
])

/** For an enhanced status code (RFC 3463) that says that no later mail will reach the address. */
export function goneByStatus(status: string): Gone | undefined {
  const [, detail = ''] = /^5\.(\d{1,3}\.\d{1,3})$/.exec(status) ?? []
  return GONE.get(detail)
}
