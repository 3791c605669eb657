/** Bounce addresses (VERP): the envelope sender of a mail names its delivery, so that a report about it needs no look-up and cannot be made up. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { MASK, type SecretKey } from '../base/secret.ts'
import { normalAddress } from '../providers/address.ts'
import { type BouncingMail, bounceMailboxLengthMax, bounceTokenLength } from '../providers/bounce-mails.ts'
import { readDeliveryId } from '../providers/callback.ts'

export interface BounceToken extends Omit<BouncingMail, 'addressee'> {
  isAddressee(address: string): boolean
  /** By a release before, in which all recipients of a mail had the same: each could make up a report about another. */
  isShared: boolean
}

/** Message id, workspace, number of the delivery with its marks, digest of the addressee, signature. */
const PARTS = { message: 16, workspace: 2, delivery: 2, addressee: 4, signature: 8 } as const
const SIGNED_BYTES = PARTS.message + PARTS.workspace + PARTS.delivery + PARTS.addressee
const SHARED = 0x8000
const COPIES = 0x4000
const DELIVERIES_MAX = 0x3fff
const MESSAGE_ID = /^1-([0-9a-f]{8})-([0-9a-f]{24})-(\d{1,4})$/

/** `mailbox+token@domain`. The mailbox itself, where it leaves no room for the token. */
export function bounceAddress(key: SecretKey, mailbox: string, mail: BouncingMail): string {
  const at = mailbox.lastIndexOf('@')
  const [, time = '', random = '', n = ''] = MESSAGE_ID.exec(mail.deliveryId) ?? []
  if (time === '' || at < 1 || at > bounceMailboxLengthMax || Number(n) > DELIVERIES_MAX) return mailbox
  const signed = Buffer.alloc(SIGNED_BYTES)
  signed.write(time + random, 'hex')
  signed.writeUInt16BE(mail.workspaceId, PARTS.message)
  signed.writeUInt16BE(Number(n) | (mail.ofCopies ? COPIES : 0), PARTS.message + PARTS.workspace)
  addresseeDigest(key, signed, mail.addressee).copy(signed, SIGNED_BYTES - PARTS.addressee)
  const token = base32(Buffer.concat([signed, signatureOf(key, signed)]))
  return `${mailbox.slice(0, at)}+${token}${mailbox.slice(at)}`
}

/** A separator of another mail server may stand in the place of `+`. Letters lose their case on the way. */
const TOKEN = new RegExp(`(?:^|[+=-])([0-9a-v]{${bounceTokenLength}})@`, 'i')

/** Servers repeat the envelope sender in their words, and with its token a reader can make up a bounce. */
export const withoutBounceTokens = (text: string): string => text.replace(ANY_TOKEN, `$1${MASK}`)

const ANY_TOKEN = new RegExp(`([+=-])[0-9a-v]{${bounceTokenLength}}(?=@)`, 'gi')

/** Whether it has the form of one: its token may be of another installation. */
export const looksLikeBounceAddress = (address: string): boolean => TOKEN.test(address)

/** Undefined for an address that this installation did not make. */
export function readBounceAddress(key: SecretKey, address: string): BounceToken | undefined {
  const [, text] = TOKEN.exec(address) ?? []
  const bytes = text === undefined ? undefined : fromBase32(text.toLowerCase())
  if (!bytes) return undefined
  const [signed, signature] = [bytes.subarray(0, SIGNED_BYTES), bytes.subarray(SIGNED_BYTES)]
  if (!timingSafeEqual(signature, signatureOf(key, signed))) return undefined
  const id = signed.toString('hex', 0, PARTS.message)
  const numbers = signed.readUInt16BE(PARTS.message + PARTS.workspace)
  const deliveryId = readDeliveryId(`1-${id.slice(0, 8)}-${id.slice(8)}-${numbers & DELIVERIES_MAX}`)
  if (deliveryId === undefined) return undefined
  const digest = signed.subarray(SIGNED_BYTES - PARTS.addressee)
  return {
    ...{ workspaceId: signed.readUInt16BE(PARTS.message), deliveryId },
    ...{ ofCopies: (numbers & COPIES) !== 0, isShared: (numbers & SHARED) !== 0 },
    isAddressee: (candidate) => addresseeDigest(key, signed, candidate).equals(digest),
  }
}

/** The key of signed links outlives a rotation; the purposes keep the texts apart. */
const digestOf = (key: SecretKey, purpose: string, content: Buffer | string) =>
  createHmac('sha256', key.derive('links')).update(purpose).update(content).digest()

const signatureOf = (key: SecretKey, signed: Buffer) => digestOf(key, 'bounce:', signed).subarray(0, PARTS.signature)

/** Differs for each delivery, so that tokens do not show that they have the same addressee. */
function addresseeDigest(key: SecretKey, signed: Buffer, address: string): Buffer {
  const normal = normalAddress('email', address)?.address ?? address
  const content = `${signed.toString('hex', 0, PARTS.message)} ${normal}`
  return digestOf(key, 'bounce-addressee:', content).subarray(0, PARTS.addressee)
}

/** Digits and letters without case: mail servers may change the case of a local part. */
const DIGITS = '0123456789abcdefghijklmnopqrstuv'

function base32(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  for (let count = 0; count < bounceTokenLength; count += 1) {
    text = DIGITS.charAt(Number(rest & 31n)) + text
    rest >>= 5n
  }
  return text
}

/** Undefined for a number that has more bytes than a token. */
function fromBase32(text: string): Buffer | undefined {
  let number = 0n
  for (const digit of text) number = (number << 5n) | BigInt(DIGITS.indexOf(digit))
  const hex = number.toString(16).padStart(2 * (SIGNED_BYTES + PARTS.signature), '0')
  return hex.length > 2 * (SIGNED_BYTES + PARTS.signature) ? undefined : Buffer.from(hex, 'hex')
}
