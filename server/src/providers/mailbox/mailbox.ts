/** The built-in sandbox: keeps messages of every channel instead of sending them. */
import { type Channel, channels, type MessageDevice } from '@postrider/contract'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { parseMailAddress } from '../../base/mail-address.ts'
import { byStatus } from '../outcome.ts'
import { defineProvider, isPresent, lineAt } from '../provider.ts'

/** The recipient as it may be shown; never a token. */
interface Target {
  recipient: string
  address?: string
  /** Those with a stored token; a real integration would send to each. */
  devices?: readonly MessageDevice[]
}

/** Profile keys that real providers of the channel need; an inbox needs the recipient only. */
const NEEDED: Record<Channel, readonly string[]> = {
  email: ['email'],
  sms: ['phone_number'],
  push: [
    'firebaseToken',
    'apn',
    'expo',
    'web_push',
    'airship',
    'pusher',
    'pusherBeams',
    'oneSignalPlayerID',
    'target_arn',
    'aws_sns',
  ],
  direct_message: [
    'slack',
    'slackToken',
    'ms_teams',
    'discord',
    'telegram',
    'viber',
    'streamChat',
    'facebookPSID',
    'intercom',
  ],
  inbox: [],
  webhook: ['webhook'],
}

/** Channels whose address may be shown. */
const SHOWN: readonly (Channel | undefined)[] = ['email', 'sms']

/** The field that names the place of a chat; its other fields can be tokens, and addresses of webhooks are secrets. */
const CHAT_PLACES = ['channel', 'channel_name', 'channel_id', 'conversation_id', 'email', 'user_id']
/** A name, and not an id: Slack writes ids in capitals. */
const CHANNEL_NAME = /^(?=.*\p{Ll})[\p{Ll}\d_-]{1,80}$/u

function chatPlace(chat: unknown): string | undefined {
  if (!isObject(chat)) return undefined
  const field = CHAT_PLACES.find((name) => isPresent(chat[name])) ?? ''
  const place = chat[field]
  if (typeof place !== 'string') return undefined
  return field.startsWith('channel') && CHANNEL_NAME.test(place) ? `#${place}` : place
}

export default defineProvider({
  key: 'mailbox',
  title: 'Mailbox',
  description: 'A sandbox that keeps messages instead of sending them',
  website: '',
  channels,
  // A mail has its HTML beside the plain text.
  dialect: 'plain',
  capabilities: { sandbox: true },
  settings: {},
  example: { settings: {}, profile: { email: 'ada@example.com' } },
  profileKeys: [],
  profileKeysByChannel: NEEDED,

  contact(profile, _settings, { recipient, channel, devices = [] }): Target | undefined {
    if (channel === 'push' && devices.length > 0) return { recipient, devices }
    const needed = channel ? NEEDED[channel] : []
    const key = needed.find((name) => isPresent(profile[name]))
    if (needed.length > 0 && key === undefined) return undefined
    if (channel === 'direct_message' && key) {
      const address = chatPlace(profile[key])
      return { recipient, ...(address && { address }) }
    }
    const address = key && SHOWN.includes(channel) ? profile[key] : undefined
    // The rule of every mail provider: an address that no mail could reach is not reached here either.
    if (channel === 'email' && (typeof address !== 'string' || !parseMailAddress(address, 'unicode'))) return undefined
    return { recipient, ...(typeof address === 'string' ? { address } : {}) }
  },

  compose({ content, channel, email, to }): JsonObject {
    const { raw, ...texts } = content
    if (channel === 'email') lineAt(content.subject, 'subject')
    const extras = Object.entries(channel === 'email' ? email : {}).filter(([, value]) => isPresent(value))
    return { channel, to, ...texts, ...(raw ? { raw } : {}), ...Object.fromEntries(extras) }
  },

  *deliver({ draft, message, now }) {
    const reply = yield { kind: 'keep', final: true, content: draft }
    if (reply.kind === 'keep') return { kind: 'sent', reference: { mailbox: message.deliveryId }, delivered: true }
    const failed = byStatus(reply, now)
    if (failed) return failed
    throw new TypeError(`A message to keep was answered by a ${reply.kind} reply`)
  },
})
