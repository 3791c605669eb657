/** The built-in sandbox: keeps what other providers would have sent, for every channel. */
import { type Channel, channels } from '@postrider/contract'
import { type Static, Type } from 'typebox'
import type { JsonObject } from '../../base/json/json.ts'
import { parseMailAddress } from '../../base/mail-address.ts'
import { given, lineAt } from '../draft.ts'
import { byStatus } from '../outcome.ts'
import { type Attempt, type Composition, provider } from '../provider.ts'

const Settings = Type.Object({}, { additionalProperties: false })
type Settings = Static<typeof Settings>

/** Who it is for, as a person would say it; never a token. */
interface Target {
  recipient: string
  address?: string
}

/** What a real provider of the channel would need; an inbox needs the recipient only. */
const NEEDED: Record<Channel, readonly string[]> = {
  email: ['email'],
  sms: ['phone_number'],
  push: ['firebaseToken', 'apn', 'expo', 'airship', 'pusher', 'pusherBeams', 'oneSignalPlayerID', 'target_arn'],
  direct_message: ['slack', 'slackToken', 'ms_teams', 'discord', 'viber', 'streamChat', 'facebookPSID', 'intercom'],
  inbox: [],
  webhook: ['webhook'],
}

/** Channels whose address is a text that may be shown. */
const SHOWN: readonly (Channel | undefined)[] = ['email', 'sms']

export default provider({
  key: 'mailbox',
  title: 'Mailbox',
  description: 'A sandbox that keeps messages instead of sending them',
  // Nobody else's service.
  website: '',
  channels,
  // A mail has its HTML besides.
  dialect: 'plain',
  settings: Settings,
  profileKeys: [],
  profileKeysByChannel: NEEDED,

  contact(profile, _settings, { recipient, channel }): Target | undefined {
    const needed = channel ? NEEDED[channel] : []
    const key = needed.find((name) => given(profile[name]))
    if (needed.length > 0 && key === undefined) return undefined
    const address = key && SHOWN.includes(channel) ? profile[key] : undefined
    // As every mail provider has it: what no mail could reach is not reached here either.
    if (channel === 'email' && (typeof address !== 'string' || !parseMailAddress(address))) return undefined
    return { recipient, ...(typeof address === 'string' ? { address } : {}) }
  },

  compose({ content, channel, email, to }: Composition<Target, Settings>): JsonObject {
    const { raw, ...said } = content
    if (channel === 'email') lineAt(content.subject, 'subject')
    const extras = Object.entries(channel === 'email' ? email : {}).filter(([, value]) => given(value))
    return { channel, to, ...said, ...(raw ? { raw } : {}), ...Object.fromEntries(extras) }
  },

  *deliver({ draft, message, now }: Attempt<Target, JsonObject, Settings>) {
    const reply = yield { kind: 'keep', final: true, content: draft }
    if (reply.kind === 'keep') return { kind: 'sent', reference: { mailbox: message.deliveryId }, delivered: true }
    const trouble = byStatus(reply, now)
    if (trouble) return trouble
    throw new TypeError(`A message to keep was answered by a ${reply.kind} reply`)
  },
})
