/** Where automations come in, on each engine: what each door says to one, as its status and its sentence. */
import { afterAll, beforeAll } from 'vitest'
import { eachEngine } from '../support/engines.ts'
import { type Door, openDoor } from './door.ts'

export const hello = { action: 'send', template: 'welcome', recipient: 'ada' }
export const content = { title: 'Hi', body: 'There' }
export const message = (fields: object) => [{ action: 'send', recipient: 'ada', message: { content, ...fields } }]

type Said = Promise<[status: number, sentence: unknown]>

export interface AutomationDoors {
  ask: Door['ask']
  invoke(automation: object, context?: object): Said
  simulate(automation: object, context?: object): Said
  /** As a template. */
  put(automation: object): Said
  answerTo(method: string, path: string, body: object): Said
}

export function eachAutomationDoors(suite: (doors: AutomationDoors) => void): void {
  eachEngine((_name, open) => {
    let door: Door
    beforeAll(async () => {
      door = await openDoor(await open())
    })
    afterAll(() => door.close())

    const answerTo = async (method: string, path: string, body: object): Said => {
      const { status, json } = await door.ask(method, path, { body })
      return [status, json.message]
    }
    suite({
      ask: (...asked) => door.ask(...asked),
      answerTo,
      invoke: (automation, context = {}) => answerTo('POST', '/automations/invoke', { automation, ...context }),
      simulate: (automation, context) =>
        answerTo('POST', '/automations/simulate', { automation, ...(context && { context }) }),
      put: (automation) => answerTo('PUT', '/automations/templates/kept', { automation }),
    })
  })
}
