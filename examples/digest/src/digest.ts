/** Collects comments and sends one mail about all of them, every morning unless the reader chose another time. */
import { setTimeout as pause } from 'node:timers/promises'
import { isPostriderError, type NotificationWrite, Postrider, type TopicWrite } from '@postrider/client'

const postrider = new Postrider({
  baseUrl: process.env.POSTRIDER_URL ?? 'http://127.0.0.1:4600',
  apiKey: process.env.POSTRIDER_API_KEY ?? '',
})

const template: NotificationWrite = {
  notification: {
    name: 'New comments',
    alias: 'new-comments',
    content: {
      version: '2022-01-01',
      elements: [
        { type: 'meta', title: '{comments.count} new comments on your articles' },
        { type: 'text', loop: 'data.comments.items', content: '**{author}**: {text}' },
      ],
    },
    routing: { method: 'single', channels: ['email'] },
  },
  state: 'PUBLISHED',
}

const topicWrite: TopicWrite = {
  name: 'Comments',
  default_status: 'OPTED_IN',
  digest: {
    template_id: 'new-comments',
    schedules: [
      { frequency: 'daily', time: '09:00', timezone: 'Europe/Berlin', is_default: true },
      { frequency: 'weekly', time: '09:00', timezone: 'Europe/Berlin', day_of_week: 'monday' },
      { frequency: 'instant' },
    ],
    // All comments are counted, the last ten are shown.
    categories: [{ category_key: 'comments', retain: 'LAST', limit: 10 }],
  },
}

/** Run this when the program is deployed: it creates the template, or publishes its next version. */
async function publishTemplate(): Promise<void> {
  try {
    await postrider.notifications.replace('new-comments', template)
  } catch (error) {
    if (!isPostriderError(error, 'not_found')) throw error
    await postrider.notifications.create(template)
  }
}

interface TopicIds {
  sectionId: string
  topicId: string
}

/** Creates the topic unless it exists. Keep the ids with the configuration of your program. */
async function findTopic(): Promise<TopicIds> {
  const { results } = await postrider.sections.list()
  const section =
    results.find(({ name }) => name === 'Activity') ?? (await postrider.sections.create({ name: 'Activity' }))
  const topic =
    section.topics.find(({ name }) => name === topicWrite.name) ??
    (await postrider.topics.create(section.id, topicWrite))
  return { sectionId: section.id, topicId: topic.id }
}

interface Comment {
  id: string
  author: string
  text: string
}

/** Each comment is an event of the digest: nothing is sent for it now. Returns the id of the event. */
async function collectComment({ topicId }: TopicIds, reader: string, { id, author, text }: Comment): Promise<string> {
  const { requestId } = await postrider.send(
    {
      message: {
        to: { user_id: reader },
        template: 'new-comments',
        // The key `comments` puts the event into the category of that name.
        data: { comments: true, author, text },
        preferences: { subscription_topic_id: topicId },
      },
    },
    { idempotencyKey: `comment-${id}` },
  )
  return requestId
}

/** Calls until the result is there; this example waits, your program does not. */
async function waitFor<Result>(what: string, look: () => Promise<Result | undefined>): Promise<Result> {
  for (let tries = 0; tries < 150; tries++) {
    const result = await look()
    if (result !== undefined) return result
    await pause(100)
  }
  throw new Error(`${what} within 15 s`)
}

await publishTemplate()
const topic = await findTopic()
// A reader of its own for each run of this example: no digest of a run before is open.
const reader = `reader-${Date.now()}`
await postrider.profiles.merge(reader, { profile: { email: 'ada@example.com' } })

const comments = [
  { id: `${reader}-1`, author: 'Grace', text: 'I like it.' },
  { id: `${reader}-2`, author: 'Alan', text: 'So do I.' },
  { id: `${reader}-3`, author: 'Edsger', text: 'Considered harmless.' },
]
for (const comment of comments) await collectComment(topic, reader, comment)
const open = await waitFor('Not every comment was collected', async () => {
  const { items } = await postrider.digests.list(reader)
  return items.find(({ event_count }) => event_count === comments.length)
})
console.log(`${open.event_count} comments are collected, to be sent at ${open.releases_at}\n`)

// Without this call the mail is sent at that time.
await postrider.digests.releaseOne(topic.sectionId, topic.topicId, { user_id: reader })
const mail = await waitFor('The digest did not arrive', async () => {
  const { results } = await postrider.mailbox.list({ recipient: reader })
  return results[0]
})
console.log(`${mail.channel} to ${mail.recipient}\n\n${mail.content.subject}\n\n${mail.content.text}`)
