/** The form of a send and the call that it makes. */
import type { MessageRouting, MessageSendBody } from '@postrider/client'
import { present } from '../parts/search-params.ts'

/** For this message only: merged over the stored profile, and not stored. */
export interface Contact {
  email: string
  phone_number: string
  locale: string
}

export interface SendOptions {
  routing?: MessageRouting
  topic?: string
  /** Values of its profile for which the form has no field. */
  profile?: Record<string, unknown>
}

export interface SendForm {
  event: string
  to: string
  tenant: string
  /** Separated by commas. */
  tags: string
  /** Taken over from the message that has filled the form. */
  options: SendOptions
  contact: Contact
  data: Record<string, unknown>
}

export const noContact: Contact = { email: '', phone_number: '', locale: '' }

/** A domain has a dot, so that the first half of an address is none while it is typed. */
const EMAIL = /^[^\s@]+@(?:[^\s@.]+(?:\.[^\s@.]+)*\.[^\s@.]{2,}|localhost)$/u
/** The server reads every spelling. */
const PHONE = /^\p{Cf}*[+＋][^\p{L}@:]{5,}$/u

/** A stored user wins: ids can be addresses. */
export function recipientOf(
  to: string,
  isStored: boolean,
): { user_id?: string; email?: string; phone_number?: string } {
  if (!isStored && EMAIL.test(to)) return { email: to }
  if (!isStored && PHONE.test(to)) return { phone_number: to }
  return { user_id: to }
}

/** Undefined until it names a template and a recipient. */
export function bodyOf(form: SendForm, isStored: boolean): MessageSendBody | undefined {
  const [event, to, tenant] = [form.event, form.to, form.tenant].map((text) => text.trim())
  if (!event || !to) return undefined
  const { routing, topic, profile } = form.options
  const tags = form.tags.split(',').flatMap((tag) => tag.trim() || [])
  const contact = Object.entries(form.contact).map(([name, text]) => [name, text.trim() || undefined])
  return {
    message: {
      to: { ...profile, ...recipientOf(to, isStored), ...present(Object.fromEntries(contact)) },
      template: event,
      ...(Object.keys(form.data).length > 0 && { data: form.data }),
      ...(tenant && { context: { tenant_id: tenant } }),
      ...(routing && { routing }),
      ...(topic && { preferences: { subscription_topic_id: topic } }),
      ...(tags.length > 0 && { metadata: { tags } }),
    },
  }
}
