/** The first message: the call that sends it, and a form of it that leaves the server in no case. */
import type { MessageSendBody, SendBody } from '@postrider/client'
import { readFirst } from '../parts/confirm.tsx'
import { api } from '../session/api.ts'

export const welcome = {
  event: 'welcome',
  recipient: 'ada',
  profile: { email: 'ada@example.com' },
  data: { name: 'Ada' },
} satisfies SendBody

/** A user of this id is no person of a real installation, whose own inbox shows what it is sent. */
const TEST_USER = 'first-message'
const content = { title: 'Welcome, {name}', body: 'This message was decided, rendered and delivered by Postrider.' }

/** A body that reaches the mailbox and no real person, whatever integrations there are. */
async function mailboxBody(): Promise<SendBody | MessageSendBody> {
  const { decision, candidates } = await readFirst(api.explain(welcome))
  const selected = candidates.filter(({ selected }) => selected)
  const isInside = selected.length > 0 && selected.every(({ provider }) => provider === 'mailbox')
  if (decision.status === 'ROUTED' && isInside) return welcome
  // Email has a real integration: the inbox has none, so that nothing leaves the server.
  const to = { user_id: TEST_USER, ...welcome.profile }
  return { message: { to, data: welcome.data, content, routing: { method: 'single', channels: ['inbox'] } } }
}

/** The id of the message. */
export async function sendWelcome(): Promise<string> {
  const reply = await api.send(await mailboxBody())
  return 'messageId' in reply ? reply.messageId : reply.requestId
}
