/** Every operation that takes an automation: what each answers to one, as its status and its message. */
import { afterAll, beforeAll, expect } from 'vitest'
import { withEngine } from '../support/engine.ts'
import { type ApiServer, openApiServer } from './api-server.ts'

export const hello = { action: 'send', template: 'welcome', recipient: 'ada' }
export const content = { title: 'Hi', body: 'There' }
export const message = (fields: object) => [{ action: 'send', recipient: 'ada', message: { content, ...fields } }]

type Said = Promise<[status: number, sentence: unknown]>

export interface AutomationCalls {
  ask: ApiServer['ask']
  invoke(automation: object, context?: object): Said
  simulate(automation: object, context?: object): Said
  /** As a template. */
  put(automation: object): Said
  /** The warnings when it is kept as a template. */
  warningsOf(automation: object): Promise<readonly string[] | undefined>
  answerTo(method: string, path: string, body: object): Said
}

export function withAutomationCalls(suite: (calls: AutomationCalls) => void): void {
  withEngine((open) => {
    let api: ApiServer
    beforeAll(async () => {
      api = await openApiServer(await open())
    })
    afterAll(() => api.close())

    const answerTo = async (method: string, path: string, body: object): Said => {
      const { status, json } = await api.ask(method, path, { body })
      return [status, json.message]
    }
    suite({
      ask: (...asked) => api.ask(...asked),
      answerTo,
      warningsOf: async (automation) => {
        const { status, json } = await api.ask('PUT', '/automations/templates/kept', { body: { automation } })
        expect([status, json.message]).toEqual([200, undefined])
        return json.warnings
      },
      invoke: (automation, context = {}) => answerTo('POST', '/automations/invoke', { automation, ...context }),
      simulate: (automation, context) =>
        answerTo('POST', '/automations/simulate', { automation, ...(context && { context }) }),
      put: (automation) => answerTo('PUT', '/automations/templates/kept', { automation }),
    })
  })
}
