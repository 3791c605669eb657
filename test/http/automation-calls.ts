/** Every operation that takes an automation: what each answers to one, as its status and its message. */
import { beforeAll, expect } from 'vitest'
import { withApp } from '../support/app.ts'
import type { RecordingApp } from '../support/recording-app.ts'

export const hello = { action: 'send', template: 'welcome', recipient: 'ada' }
export const content = { title: 'Hi', body: 'There' }
export const message = (fields: object) => [{ action: 'send', recipient: 'ada', message: { content, ...fields } }]

type StatusAndMessage = Promise<[status: number, sentence: unknown]>

export interface AutomationCalls {
  call: RecordingApp['call']
  invoke(automation: object, context?: object): StatusAndMessage
  simulate(automation: object, context?: object): StatusAndMessage
  /** As a template. */
  put(automation: object): StatusAndMessage
  /** The warnings when it is kept as a template. */
  warningsOf(automation: object): Promise<readonly string[] | undefined>
  answerTo(method: string, path: string, body: object): StatusAndMessage
}

export function withAutomationCalls(suite: (calls: AutomationCalls) => void): void {
  withApp((open) => {
    let api: RecordingApp
    beforeAll(async () => {
      api = await open({ pipeline: 'recording' })
    })

    const answerTo = async (method: string, path: string, body: object): StatusAndMessage => {
      const { status, json } = await api.call(method, path, { body })
      return [status, json.message]
    }
    suite({
      call: (...request) => api.call(...request),
      answerTo,
      warningsOf: async (automation) => {
        const { status, json } = await api.call('PUT', '/automations/templates/kept', { body: { automation } })
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
