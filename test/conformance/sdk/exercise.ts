/** The context of an exercise of one method of an SDK: the service, and things made for it beforehand. */
import { expect } from 'vitest'
import { mustCall } from '../../support/api-client.ts'
import { type App, settled } from '../../support/app.ts'
import { publish } from '../../system/templates.ts'
import type { Call, Made } from './methods.ts'

export interface ExerciseContext {
  /** In every id that can be chosen, and fit for a part of a list's. */
  mark: string
  major: number
  notification: string
  topic: string
  /** A message that was delivered to `recipient`. */
  message: string
  recipient: string
  /** A call without any SDK; throws on an error status. */
  request(method: string, path: string, body?: unknown): Promise<Made>
  /** The status of such a call. */
  status(method: string, path: string): Promise<number>
}

/** Calls the method at least once and checks the result. */
export type Exercise = (call: Call, ctx: ExerciseContext) => Promise<void>
export type Exercises = Record<string, Exercise>

/** The same, for a method that takes its arguments in another shape. */
export function shaped(
  exercise: Exercise,
  shape: (...args: Made[]) => unknown[],
  read?: (made: Made) => Made,
): Exercise {
  return (call, ctx) =>
    exercise(async (...args) => {
      const made = await call(...shape(...args))
      return read ? read(made) : made
    }, ctx)
}

export const EVENT = 'order-shipped'
export const ID = expect.stringMatching(/^1-[0-9a-f]{8}-[0-9a-f]{24}$/)
export const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
export const SUCCESS = { status: 'SUCCESS' }
export const LAST_PAGE = { more: false }

/** The resources that all generations share in one service. */
export async function prepareService({ client }: App): Promise<Pick<ExerciseContext, 'notification' | 'topic'>> {
  const notification = await publish(client, EVENT, { channels: ['email'], tags: ['orders'] })
  const section = await client.sections.create({ name: 'Shop' })
  const { id: topic } = await client.topics.create(section.id, { name: 'Orders', default_status: 'OPTED_IN' })
  return { notification, topic }
}

export async function contextOf(
  app: App,
  major: number,
  shared: Pick<ExerciseContext, 'notification' | 'topic'>,
): Promise<ExerciseContext> {
  const mark = `sdk${major}`
  const recipient = `reader-${mark}`
  const { requestId: message } = await app.client.send({
    message: {
      to: { user_id: recipient, email: 'ada@example.com' },
      template: EVENT,
      metadata: { event: EVENT, tags: ['orders'] },
    },
  })
  await settled(app.client, message)
  return {
    ...shared,
    mark,
    major,
    message,
    recipient,
    request: (method, path, body) => mustCall(app, method, path, body),
    status: async (method, path) => (await app.call(method, path)).status,
  }
}

/** Things that several methods begin with; each gives the id. */
export async function madeList(
  { request, mark }: ExerciseContext,
  name: string,
  ...recipients: string[]
): Promise<string> {
  const id = `${mark}.${name}`
  await request('PUT', `/lists/${id}`, { name })
  const body = { recipients: recipients.map((recipientId) => ({ recipientId })) }
  await request('PUT', `/lists/${id}/subscriptions`, body)
  return id
}

export const subscribersOf = async ({ request }: ExerciseContext, list: string): Promise<string[]> =>
  (await request('GET', `/lists/${list}/subscriptions`)).items.map((item: Made) => item.recipientId).sort()

export async function madeProfile({ request, mark }: ExerciseContext, name: string, profile: object): Promise<string> {
  const id = `${name}@${mark}|a b`
  await request('PUT', `/profiles/${encodeURIComponent(id)}`, { profile })
  return id
}

export const profileOf = async ({ request }: ExerciseContext, id: string): Promise<Made> =>
  (await request('GET', `/profiles/${encodeURIComponent(id)}`)).profile

export async function madeJob({ request, mark }: ExerciseContext, ...recipients: string[]): Promise<string> {
  const { jobId } = await request('POST', '/bulk', { message: { event: `${mark}-unmapped` } })
  if (recipients.length > 0)
    await request('POST', `/bulk/${jobId}`, { users: recipients.map((recipient) => ({ recipient })) })
  return jobId
}

export async function madeTenant({ request, mark }: ExerciseContext, name: string): Promise<string> {
  const id = `${mark}-${name}`
  await request('PUT', `/tenants/${id}`, { name })
  return id
}

export async function madeDevice(
  { request, mark }: ExerciseContext,
  name: string,
): Promise<{ user: string; token: string }> {
  const [user, token] = [`user-${mark}-${name}`, `token-${name}`]
  await request('PUT', `/users/${user}/tokens/${token}`, { provider_key: 'expo', expiry_date: false })
  return { user, token }
}

export const filter = { operator: 'EQ', path: 'title', value: 'Engineer' }

export async function madeAudience({ request, mark }: ExerciseContext, name: string): Promise<string> {
  const id = `${mark}-${name}`
  await request('PUT', `/audiences/${id}`, { name, filter })
  return id
}

export async function madeDelayed({ request, mark }: ExerciseContext): Promise<string> {
  const body = { event: EVENT, recipient: mark, delay: { duration: 600_000 } }
  return (await request('POST', '/send', body)).messageId
}

/** A notification of its own, so that its changes affect no other test. */
export async function madeNotification({ request, mark }: ExerciseContext, name: string): Promise<string> {
  const elements = [
    { type: 'meta', title: 'Hello' },
    { type: 'text', id: 'greeting', content: 'Good to see you.' },
  ]
  const notification = { name: `${name} ${mark}`, content: { version: '2022-01-01', elements } }
  return (await request('POST', '/notifications', { notification, state: 'PUBLISHED' })).id
}

export const settings = { colors: { primary: '#9d3789' } }

export async function madeBrand({ request, mark }: ExerciseContext, name: string): Promise<string> {
  const id = `${mark}-${name}`
  await request('POST', '/brands', { id, name, settings })
  return id
}

export async function madeChecks(ctx: ExerciseContext, name: string): Promise<string> {
  const id = await madeNotification(ctx, name)
  const checks = [{ id: 'legal', type: 'custom', status: 'RESOLVED' }]
  await ctx.request('PUT', `/notifications/${id}/review/checks`, { checks })
  return id
}

export const brandOf = (id: string, name: string) => ({
  id,
  name,
  settings,
  created: expect.any(Number),
  updated: expect.any(Number),
  published: expect.any(Number),
  version: TIMESTAMP,
})

export const CHECK = { id: 'legal', type: 'custom', status: 'RESOLVED', updated: expect.any(Number) }
