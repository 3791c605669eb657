/** Each method of the SDKs for automations, in the shapes of each generation. */
import { expect } from 'vitest'
import { until } from '../../support/until.ts'
import { EVENT, type ExerciseContext, type Exercises, ID, shaped } from './exercise.ts'

const steps = [{ action: 'send', template: EVENT }]

/** The run came to its end, and its message went to the recipient. */
async function ran({ request }: ExerciseContext, runId: string, recipient: string): Promise<void> {
  expect(runId).toEqual(ID)
  await until(
    () => request('GET', `/automations/runs/${runId}`),
    ({ status }) => status === 'PROCESSED',
  )
  const { results } = await request('GET', `/messages?recipient=${recipient}`)
  expect(results).toMatchObject([{ runId, event: EVENT }])
}

const template = async ({ mark, request }: ExerciseContext): Promise<string> => {
  await request('PUT', `/automations/templates/${mark}-automation`, { name: mark, automation: { steps } })
  return `${mark}-automation`
}

export const automations = {
  'automations.invokeAdHocAutomation': async (call, ctx) => {
    const recipient = `${ctx.mark}-adhoc`
    const { runId } = await call({
      automation: { steps },
      recipient,
      profile: { email: 'a@b.co' },
      data: { name: 'Ada' },
    })
    await ran(ctx, runId, recipient)
  },
  'automations.invokeAutomationTemplate': async (call, ctx) => {
    const recipient = `${ctx.mark}-template`
    const templateId = await template(ctx)
    const { runId } = await call({ templateId, recipient, profile: { email: 'a@b.co' } })
    await ran(ctx, runId, recipient)
  },
} satisfies Exercises

const byPlace = ({ templateId, ...rest }: { templateId: string }) => [templateId, rest]

/** 6.0 sends no body with a template; later ones do. */
export const automationsOfSixth = {
  'automations.invokeAdHocAutomation': automations['automations.invokeAdHocAutomation'],
  'automations.invokeAutomationTemplate': shaped(automations['automations.invokeAutomationTemplate'], byPlace),
} satisfies Exercises

export const automationsOfSeventh = {
  'automations.invoke.invokeAdHoc': automations['automations.invokeAdHocAutomation'],
  'automations.invoke.invokeByTemplate': shaped(automations['automations.invokeAutomationTemplate'], byPlace),
  'automations.list': async (call, ctx) => {
    const id = await template(ctx)
    const { templates } = await call()
    expect(templates).toContainEqual(expect.objectContaining({ id, name: ctx.mark, version: expect.anything() }))
  },
} satisfies Exercises
