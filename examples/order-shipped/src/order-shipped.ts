/** Notifies a customer that an order has shipped: by mail with every item, and by text message in one line. */
import { setTimeout as pause } from 'node:timers/promises'
import { isPostriderError, type NotificationWrite, Postrider } from '@postrider/client'

const postrider = new Postrider({
  baseUrl: process.env.POSTRIDER_URL ?? 'http://127.0.0.1:4600',
  apiKey: process.env.POSTRIDER_API_KEY ?? '',
})

const template: NotificationWrite = {
  notification: {
    name: 'Order shipped',
    alias: 'order-shipped',
    content: {
      version: '2022-01-01',
      elements: [
        {
          type: 'channel',
          channel: 'email',
          elements: [
            { type: 'meta', title: 'Your order {order.id} is on its way' },
            { type: 'text', content: 'Hello **{profile.name}**, we have sent you:' },
            {
              type: 'list',
              elements: [{ type: 'list-item', loop: 'data.order.items', content: '{count} × {name}' }],
            },
            { type: 'action', content: 'Track it', href: 'https://shop.example.com/track?order={order.id}' },
            { type: 'text', if: 'data.order.total >= 100', content: 'Shipping is on us.' },
          ],
        },
        {
          type: 'channel',
          channel: 'sms',
          elements: [{ type: 'text', content: 'Your order {order.id} is on its way.' }],
        },
      ],
    },
    // `all` sends by both channels; `single` would use the second one only when the first one fails.
    routing: { method: 'all', channels: ['email', 'sms'] },
  },
  state: 'PUBLISHED',
}

/** Run this when the program is deployed: it creates the template, or publishes its next version. */
async function publishTemplate(): Promise<void> {
  try {
    await postrider.notifications.replace('order-shipped', template)
  } catch (error) {
    if (!isPostriderError(error, 'not_found')) throw error
    await postrider.notifications.create(template)
  }
}

interface Customer {
  id: string
  name: string
  email: string
  phone: string
}

/** Run this whenever a customer changes; sends then name the customer by id only. */
async function storeCustomer({ id, name, email, phone }: Customer): Promise<void> {
  await postrider.profiles.merge(id, { profile: { name, email, phone_number: phone } })
}

interface Order {
  id: string
  customerId: string
  items: Array<{ name: string; count: number }>
  total: number
}

/** Returns the message id as soon as the message is safe on disk. */
async function sendOrderShipped(order: Order): Promise<string> {
  const { messageId } = await postrider.send(
    { event: 'order-shipped', recipient: order.customerId, data: { order } },
    // The key makes a repeated call the same message; `strict` refuses a template or a field that does not exist.
    { idempotencyKey: `order-shipped-${order.id}`, strict: true },
  )
  return messageId
}

/** Your program does not wait for delivery; this example does, to show what arrived. */
async function showArrival(messageId: string): Promise<void> {
  for (let tries = 0; tries < 150; tries++) {
    const { status, error, providers = [] } = await postrider.messages.get(messageId)
    if (providers.filter((delivery) => delivery.status === 'DELIVERED').length === 2) break
    if (error || tries === 149)
      throw new Error(`The message ${messageId} is ${status}: ${error ?? 'not delivered yet'}`)
    await pause(100)
  }
  const { results } = await postrider.mailbox.list({ message_id: messageId })
  for (const { channel, recipient, content } of results) console.log(`${channel} to ${recipient}\n\n${content.text}\n`)
}

await publishTemplate()
await storeCustomer({ id: 'user-7', name: 'Ada', email: 'ada@example.com', phone: '+12025550143' })
const messageId = await sendOrderShipped({
  id: `A-${Date.now()}`,
  customerId: 'user-7',
  items: [
    { name: 'Green tea', count: 2 },
    { name: 'Cup & saucer', count: 1 },
  ],
  total: 120,
})
await showArrival(messageId)
