/** Each method of generation 7 for routing strategies. */
import { expect } from 'vitest'
import type { ExerciseContext, Exercises } from './exercise.ts'

const written = (name: string) => ({
  name,
  routing: { method: 'single', channels: ['email', 'sms'] },
  channels: { email: { providers: ['sendgrid', 'smtp'] } },
  description: 'Mail first',
  providers: { sendgrid: { override: {} } },
  tags: ['production', 'email'],
})

const made = async ({ request, mark }: ExerciseContext, name: string): Promise<string> =>
  (await request('POST', '/routing-strategies', written(`${name}-${mark}`))).id

export const routingStrategies: Exercises = {
  'routingStrategies.create': async (call, { mark }) => {
    const body = written(`create-${mark}`)
    const record = { id: expect.any(String), created: expect.any(Number), creator: expect.any(String) }
    expect(await call(body)).toMatchObject({ ...body, ...record })
    // Its optional parts may be left out.
    expect(await call({ name: 'short', routing: body.routing })).toMatchObject({
      channels: {},
      providers: {},
      tags: [],
    })
  },
  'routingStrategies.retrieve': async (call, ctx) => {
    const id = await made(ctx, 'get')
    expect(await call(id)).toMatchObject({ id, ...written(`get-${ctx.mark}`) })
  },
  'routingStrategies.list': async (call, ctx) => {
    const id = await made(ctx, 'list')
    const { paging, results } = await call({ limit: 1 })
    expect([paging.more, results]).toMatchObject([expect.any(Boolean), [{ id, name: `list-${ctx.mark}` }]])
    expect(results[0]).not.toHaveProperty('routing')
  },
  'routingStrategies.replace': async (call, ctx) => {
    const id = await made(ctx, 'old')
    const changed = { name: 'New', routing: { method: 'all', channels: ['push'] } }
    const cleared = { channels: {}, providers: {}, description: null, tags: [] }
    expect(await call(id, changed)).toMatchObject({ id, ...changed, ...cleared })
  },
  'routingStrategies.archive': async (call, ctx) => {
    const id = await made(ctx, 'archive')
    await call(id)
    expect(await ctx.status('GET', `/routing-strategies/${id}`)).toBe(404)
  },
  'routingStrategies.listNotifications': async (call, ctx) => {
    const id = await made(ctx, 'used')
    const notification = { name: 'User', content: { body: 'Hi' }, routing: { strategy_id: id } }
    const { id: user } = await ctx.request('POST', '/notifications', { notification })
    const { results } = await call(id)
    expect(results).toMatchObject([{ id: user, routing: { method: 'single', channels: ['email', 'sms'] } }])
    expect(await ctx.status('DELETE', `/routing-strategies/${id}`)).toBe(409)
  },
}
