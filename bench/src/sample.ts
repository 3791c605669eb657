/** The message every measurement sends: about 500 bytes, with a profile and data, and the notification it is made from. */
import type { NotificationContent } from '@postrider/client'
export interface SampleOptions {
  event: string
  n: number
  /** Nothing is sent before this long has passed. */
  delayMs?: number
}

export function sendBody({ event, n, delayMs }: SampleOptions) {
  return {
    event,
    recipient: `user-${n % 10_000}`,
    profile: {
      email: `ada.lovelace.${n}@example.com`,
      phone_number: '+15555550100',
      given_name: 'Ada',
      family_name: 'Lovelace',
      locale: 'en-GB',
    },
    data: {
      n,
      order: `A-${100_000 + n}`,
      carrier: 'Night Train Parcels',
      total: '42.50 EUR',
      address: '12 St James Square, London SW1Y 4JH',
      arrives: 'Tuesday, before noon',
    },
    ...(delayMs === undefined ? {} : { delay: { duration: delayMs } }),
  }
}

export type SendBody = ReturnType<typeof sendBody>

const paragraphs = [
  'Your order **{order}** of {total} is on its way with {carrier}. It arrives on {arrives}.',
  'We will hand it over at {address}. If no one opens, it waits for a week at the nearest parcel shop.',
  'Reply to this message if something about the order {order} is not as you expected it to be.',
]

const title = 'Order {order} is on its way'

export const content: NotificationContent = {
  version: '2022-01-01',
  elements: [{ type: 'meta', title }, ...paragraphs.map((content) => ({ type: 'text' as const, content }))],
}

/** The same words by hand: what rendering costs when there is nothing to it. */
export function contentByHand({ data }: SendBody): { title: string; body: string } {
  return {
    title: `Order ${data.order} is on its way`,
    body: [
      `Your order ${data.order} of ${data.total} is on its way with ${data.carrier}. It arrives on ${data.arrives}.`,
      `We will hand it over at ${data.address}. If no one opens, it waits for a week at the nearest parcel shop.`,
      `Reply to this message if something about the order ${data.order} is not as you expected it to be.`,
    ].join('\n\n'),
  }
}

/** The same message with the notification's words in it; a line of its own makes each content another one. */
export function messageBody(sample: SampleOptions) {
  const { recipient, profile, data } = sendBody(sample)
  const textElement = { type: 'text', content: `This is message number ${sample.n} of today.` }
  return {
    message: {
      to: { user_id: recipient, ...profile },
      content: { ...content, elements: [...content.elements, textElement] },
      data,
      routing: { method: 'single', channels: ['webhook'] },
    },
  }
}
