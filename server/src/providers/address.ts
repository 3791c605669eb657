/** Addresses of people in the form in which the list of suppressed addresses compares them. */
import { hash } from 'node:crypto'
import type { AddressKind, Channel } from '@postrider/contract'
import { isObject, type JsonObject } from '../base/json/json.ts'
import { parseMailAddress } from '../base/mail-address.ts'
import { digitsOf, parsePhoneNumber } from '../base/phone-number.ts'

export interface NormalAddress {
  kind: AddressKind
  address: string
}

const normalForms: Record<AddressKind, (text: string) => string | undefined> = {
  // Servers may tell local parts apart by case, and none that people use does.
  email: (text) => parseMailAddress(text, 'unicode')?.address.toLowerCase(),
  phone_number: (text) => {
    const number = parsePhoneNumber(text)
    return number && digitsOf(number)
  },
  chat_id: (text) => (/^[!-~]{1,256}$/.test(text.trim()) ? text.trim() : undefined),
  device_token: (text) => (/^[!-~]{1,1024}$/.test(text.trim()) ? text.trim() : undefined),
}

/** Undefined for a text that is no address of the kind. */
export function normalAddress(kind: AddressKind, text: string): NormalAddress | undefined {
  const address = normalForms[kind](text)
  return address === undefined ? undefined : { kind, address }
}

/** The kind that a text shows by itself; undefined for a device token or the id of a chat. */
export function kindOf(text: string): AddressKind | undefined {
  if (text.includes('@')) return 'email'
  return normalForms.phone_number(text) === undefined ? undefined : 'phone_number'
}

/** Each address that a searched text can be: an email address, a telephone number, the id of a chat. */
export const searchedAddresses = (text: string): NormalAddress[] =>
  (['email', 'phone_number', 'chat_id'] as const).flatMap((kind) => normalAddress(kind, text) ?? [])

/** A phone number as people read it. */
export const shownAddress = ({ kind, address }: NormalAddress): string =>
  kind === 'phone_number' && !address.startsWith('0') ? `+${address}` : address

const kindByChannel: Partial<Record<Channel, AddressKind>> = {
  email: 'email',
  sms: 'phone_number',
  push: 'device_token',
  direct_message: 'chat_id',
}

/** The address that `contact` of a provider gave; undefined where it is not one of a person or a device, as a webhook. */
export function addressOf(channel: Channel, to: unknown): NormalAddress | undefined {
  const kind = kindByChannel[channel]
  const text = isObject(to) ? fieldOf(channel, to) : to
  return kind && (typeof text === 'string' || typeof text === 'number') ? normalAddress(kind, String(text)) : undefined
}

/** Names the address of a delivery without storing it; undefined where `addressOf` is. */
export function addressDigest(channel: Channel, to: unknown): string | undefined {
  const address = addressOf(channel, to)
  return address && hash('sha256', `${address.kind} ${address.address}`).slice(0, 16)
}

/** A `token` of a chat is that of its bot. */
const fieldOf = (channel: Channel, to: JsonObject): unknown =>
  channel === 'direct_message' ? (to.chat_id ?? to.channelId ?? to.userId) : (to.address ?? to.token)

/** Fields of a target, and of a profile, by which a provider of chats finds a person or a channel. */
const CHAT_FIELDS = ['chat_id', 'channelId', 'userId', 'channel', 'channel_id', 'user_id', 'email'] as const
const CHATS = ['slack', 'discord', 'telegram', 'ms_teams'] as const

/** The addresses that a message is found by. The id of a chat can be an email address, or a telephone number. */
export function foundBy(channel: Channel, to: unknown): NormalAddress[] {
  if (channel === 'direct_message') return chatsAt(to)
  const address = addressOf(channel, to)
  return address ? [address] : []
}

function chatsAt(to: unknown): NormalAddress[] {
  const values = isObject(to) ? CHAT_FIELDS.map((name) => to[name]) : [to]
  return values.flatMap((value) => {
    if (typeof value !== 'string' && typeof value !== 'number') return []
    const text = String(value)
    const number = text.startsWith('+') ? normalAddress('phone_number', text) : undefined
    return normalAddress('email', text) ?? number ?? normalAddress('chat_id', text) ?? []
  })
}

/** All that a profile names. */
export function namedAddresses(profile: Readonly<Record<string, unknown>>): NormalAddress[] {
  const addresses = addressesIn(profile)
  for (const chat of CHATS) if (isObject(profile[chat])) addresses.push(...chatsAt(profile[chat]))
  return addresses
}

const PROFILE_KINDS = ['email', 'phone_number'] as const

/** The addresses that a profile has for channels with suppressed addresses. */
export function addressesIn(profile: Readonly<Record<string, unknown>>): NormalAddress[] {
  const addresses: NormalAddress[] = []
  for (const kind of PROFILE_KINDS) {
    const { [kind]: value } = profile
    const isText = typeof value === 'string' || typeof value === 'number'
    const address = isText ? normalAddress(kind, String(value)) : undefined
    if (address) addresses.push(address)
  }
  return addresses
}
