/** Sends a password reset mail once for each request, and only while its link is valid. */
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { isPostriderError, type NotificationWrite, Postrider } from '@postrider/client'

const postrider = new Postrider({
  baseUrl: process.env.POSTRIDER_URL ?? 'http://127.0.0.1:4600',
  apiKey: process.env.POSTRIDER_API_KEY ?? '',
})

const LINK_VALID_MINUTES = 30

const template: NotificationWrite = {
  notification: {
    name: 'Password reset',
    alias: 'password-reset',
    content: {
      version: '2022-01-01',
      elements: [
        { type: 'meta', title: 'Reset your password' },
        { type: 'text', content: 'Hello {name}, we received a request for a new password for your account.' },
        { type: 'action', content: 'Choose a new password', href: '{resetUrl}' },
        { type: 'text', content: 'The link is valid for {minutes} minutes. If this was not you, ignore this mail.' },
      ],
    },
    routing: { method: 'single', channels: ['email'] },
    // Rather no mail than one without its link.
    settings: { on_missing_variable: 'fail' },
  },
  state: 'PUBLISHED',
}

/** Run this when the program is deployed: it creates the template, or publishes its next version. */
async function publishTemplate(): Promise<void> {
  try {
    await postrider.notifications.replace('password-reset', template)
  } catch (error) {
    if (!isPostriderError(error, 'not_found')) throw error
    await postrider.notifications.create(template)
  }
}

interface ResetRequest {
  id: string
  user: { id: string; email: string; name: string }
  token: string
}

/** Returns the message id as soon as the message is safe on disk. */
async function sendPasswordReset({ id, user, token }: ResetRequest): Promise<string> {
  const { requestId } = await postrider.send(
    {
      message: {
        to: { user_id: user.id, email: user.email },
        template: 'password-reset',
        data: {
          name: user.name,
          resetUrl: `https://app.example.com/reset?token=${encodeURIComponent(token)}`,
          minutes: LINK_VALID_MINUTES,
        },
        // No provider is tried any more once the link has expired.
        timeout: { message: LINK_VALID_MINUTES * 60_000 },
      },
    },
    // The key makes a repeated call the same message; `strict` refuses a template or a field that does not exist.
    { idempotencyKey: `password-reset-${id}`, strict: true },
  )
  return requestId
}

/** Your program does not wait for delivery; this example does, to show what arrived. */
async function showArrival(messageId: string): Promise<void> {
  for (let tries = 0; tries < 150; tries++) {
    const { status, error } = await postrider.messages.get(messageId)
    if (status === 'DELIVERED') break
    if (error || tries === 149)
      throw new Error(`The message ${messageId} is ${status}: ${error ?? 'not delivered yet'}`)
    await pause(100)
  }
  const { results } = await postrider.mailbox.list({ message_id: messageId })
  for (const { channel, recipient, content } of results)
    console.log(`${channel} to ${recipient}\n\n${content.subject}\n\n${content.text}`)
}

await publishTemplate()
const request = {
  id: randomUUID(),
  user: { id: 'user-7', email: 'ada@example.com', name: 'Ada' },
  token: randomBytes(24).toString('base64url'),
}
const messageId = await sendPasswordReset(request)
// A program that repeats the request after a crash sends nothing twice.
if ((await sendPasswordReset(request)) !== messageId) throw new Error('The repeated request sent a second message')
await showArrival(messageId)
