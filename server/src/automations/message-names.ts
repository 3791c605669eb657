/** The names in a message of a step: fields and channels that are none stand for nothing when it is sent. */
import {
  ChannelRoute,
  ChannelSettings,
  channels,
  MessageRouting,
  MessageSend,
  ProviderSettings,
} from '@postrider/contract'
import { Type } from 'typebox'
import { invalidRequest } from '../base/errors.ts'
import { isObject, type JsonObject } from '../base/merge.ts'
import { checkFieldNames, nearest, shown } from './unknown-fields.ts'
import { referencesIn } from './values.ts'

/** Recipients have keys of any provider, content and data are looked at elsewhere. */
const { to, content, data, channels: byChannel, providers: byProvider, ...looked } = MessageSend.properties
const open = Type.Unsafe<unknown>({})
const Message = Type.Object({ ...looked, to: open, content: open, data: open, channels: open, providers: open })

/** Public samples have `config` beside a channel of the routing. */
const Entry = Type.Object({ ...ChannelRoute.properties, config: open })

/** What the public API knows, whether or not there is an adapter of it here; and a channel that it has left behind. */
export const providerNames: readonly string[] = [
  ...['sendgrid', 'mailgun', 'postmark', 'aws-ses', 'mailjet', 'mailersend', 'mandrill', 'resend', 'smtp', 'sparkpost'],
  ...['amply', 'gmail', 'onesignal', 'twilio', 'vonage', 'nexmo', 'plivo', 'messagebird', 'messagemedia', 'sinch'],
  ...['smscentral', 'telnyx', 'textus', 'azure-sms', 'africastalking-sms', 'aws-sns', 'whatsapp', 'slack', 'msteams'],
  ...['discord', 'viber', 'stream-chat', 'facebook-messenger', 'intercom', 'drift', 'apn', 'firebase-fcm', 'expo'],
  ...['airship', 'pusher', 'pusher-beams', 'magicbell', 'pagerduty', 'opsgenie', 'beamer', 'pushbullet', 'nowpush'],
  ...['splunk-on-call', 'webhook', 'custom', 'courier', 'inbox', 'mailbox', 'banner'],
]

/** Throws a 400 that names the place. */
export function checkMessageNames(message: JsonObject, at: string): void {
  checkFieldNames(Message, message, at, 'a message')
  if (isObject(message.routing)) checkRouting(message.routing, `${at}.routing`)
  for (const [name, settings] of entriesOf(message.channels)) {
    checkChannel(name, `${at}.channels`)
    if (isObject(settings)) checkFieldNames(ChannelSettings, settings, `${at}.channels.${name}`, 'a channel')
  }
  for (const [name, settings] of entriesOf(message.providers))
    if (isObject(settings)) checkFieldNames(ProviderSettings, settings, `${at}.providers.${shown(name)}`, 'a provider')
}

function checkRouting(routing: JsonObject, at: string): void {
  if (!Array.isArray(routing.channels)) return
  for (const [index, entry] of routing.channels.entries()) {
    const place = `${at}.channels.${index}`
    if (typeof entry === 'string') checkChannel(entry, place)
    if (!isObject(entry) || Object.hasOwn(entry, '$ref')) continue
    const isGroup = entry.channels !== undefined
    checkFieldNames(isGroup ? MessageRouting : Entry, entry, place, isGroup ? 'a group' : 'an entry')
    if (isGroup) checkRouting(entry, place)
    else if (typeof entry.channel === 'string') checkChannel(entry.channel, `${place}.channel`)
  }
}

function checkChannel(name: string, at: string): void {
  const known: readonly string[] = [...channels, ...providerNames]
  if (known.includes(name) || referencesIn(name).length > 0) return
  const near = nearest(name, known)
  const advice = near === undefined ? `the channels are ${channels.join(', ')}` : `\`${near}\` is meant?`
  throw invalidRequest(`${at} has \`${shown(name)}\`, which is neither a channel nor a provider; ${advice}`)
}

const entriesOf = (map: unknown): [string, unknown][] =>
  isObject(map) && !Object.hasOwn(map, '$ref') ? Object.entries(map) : []
