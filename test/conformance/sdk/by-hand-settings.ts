/** Each method of generations 1 to 5 for notifications, brands, tokens and audit events. */
import { expect } from 'vitest'
import {
  brandOf,
  CHECK,
  EVENT,
  type ExerciseContext,
  type Exercises,
  LAST_PAGE,
  madeBrand,
  madeChecks,
  madeNotification,
  settings,
  TIMESTAMP,
} from './exercise.ts'

const words = { id: 'greeting', type: 'text', content: 'Good to see you.', checksum: expect.any(String) }
const content = { blocks: expect.arrayContaining([expect.objectContaining(words)]), channels: expect.any(Array) }
const german = { blocks: [{ id: 'greeting', type: 'text', locales: { de: 'Gut, dich zu sehen.' } }], channels: [] }

const translated = async ({ request }: ExerciseContext, path: string) => {
  const { blocks } = await request('GET', path)
  expect(blocks).toContainEqual(expect.objectContaining({ locales: { de: 'Gut, dich zu sehen.' } }))
}

export const notifications = {
  'notifications.list': async (call, { notification }) => {
    const item = { id: notification, title: EVENT, created_at: expect.any(Number) }
    const results = expect.arrayContaining([expect.objectContaining(item)])
    expect(await call({})).toMatchObject({ paging: LAST_PAGE, results })
  },
  'notifications.getContent': async (call, ctx) => {
    expect(await call(await madeNotification(ctx, 'content'))).toMatchObject(content)
  },
  'notifications.getDraftContent': async (call, ctx) => {
    expect(await call(await madeNotification(ctx, 'draft'))).toMatchObject(content)
  },
  'notifications.postVariations': async (call, ctx) => {
    const id = await madeNotification(ctx, 'variations')
    await call(id, german)
    await translated(ctx, `/notifications/${id}/content`)
  },
  'notifications.postDraftVariations': async (call, ctx) => {
    const id = await madeNotification(ctx, 'draft variations')
    await call(id, german)
    await translated(ctx, `/notifications/${id}/draft/content`)
  },
  'notifications.getSubmissionChecks': async (call, ctx) => {
    expect(await call(await madeChecks(ctx, 'checked'), 'review')).toEqual({ checks: [CHECK] })
  },
  'notifications.putSubmissionChecks': async (call, ctx) => {
    const checks = [{ id: 'legal', type: 'custom', status: 'RESOLVED' }]
    expect(await call(await madeNotification(ctx, 'checks'), 'review', { checks })).toEqual({ checks: [CHECK] })
  },
  'notifications.cancelSubmission': async (call, ctx) => {
    const id = await madeChecks(ctx, 'canceled')
    await call(id, 'review')
    expect(await ctx.status('GET', `/notifications/${id}/review/checks`)).toBe(404)
  },
} satisfies Exercises

export const brands = {
  createBrand: async (call, { mark, request }) => {
    const brand = { id: `${mark}-create`, name: 'Acme', settings, snippets: { items: [] } }
    expect(await call(brand)).toMatchObject(brandOf(brand.id, 'Acme'))
    expect(await request('GET', `/brands/${brand.id}`)).toMatchObject(brandOf(brand.id, 'Acme'))
  },
  getBrand: async (call, ctx) => {
    const id = await madeBrand(ctx, 'get')
    expect(await call(id)).toMatchObject(brandOf(id, 'get'))
  },
  getBrands: async (call, ctx) => {
    const id = await madeBrand(ctx, 'list')
    const results = expect.arrayContaining([expect.objectContaining(brandOf(id, 'list'))])
    expect(await call({})).toMatchObject({ paging: { more: expect.any(Boolean) }, results })
  },
  replaceBrand: async (call, ctx) => {
    const id = await madeBrand(ctx, 'replace')
    expect(await call({ id, name: 'New', settings })).toMatchObject(brandOf(id, 'New'))
  },
  deleteBrand: async (call, ctx) => {
    const id = await madeBrand(ctx, 'delete')
    await call(id)
    expect(await ctx.status('GET', `/brands/${id}`)).toBe(404)
  },
} satisfies Exercises

export const administration = {
  issueToken: async (call) => {
    const token = expect.stringMatching(/^eyJ/)
    expect(await call({ scope: 'user_id:ada read:messages', expiresIn: '2 days' })).toEqual({ token })
  },
  'auditEvents.list': async (call, { request }) => {
    await request('POST', '/keys', { name: 'audited' })
    const record = { auditEventId: expect.any(String), type: expect.any(String), timestamp: TIMESTAMP }
    const { paging, results } = await call({})
    expect([paging.more, results[0]]).toEqual([expect.any(Boolean), expect.objectContaining(record)])
  },
  'auditEvents.get': async (call, { request }) => {
    await request('POST', '/keys', { name: 'audited' })
    const [event] = (await request('GET', '/audit-events')).results
    expect(await call({ auditEventId: event.auditEventId })).toEqual(event)
  },
} satisfies Exercises
