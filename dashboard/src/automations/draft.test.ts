/** Drafts of automations: steps keep their places, JSON and forms agree, and errors stand at their step. */
import type { AutomationTemplate } from '@postrider/client'
import { expect, test } from 'vitest'
import {
  automationOf,
  type Draft,
  detailOf,
  draftOf,
  type Fields,
  inputOf,
  insertStep,
  isSame,
  jumpOf,
  moveStep,
  problemOf,
  readAutomation,
  removeStep,
  storedPosition,
  valueAt,
  withValue,
} from './draft.ts'
import { actions, newStep, stepFields, stepTexts } from './step-fields.ts'

const template = {
  name: 'Onboarding',
  automation: {
    cancelation_token: 'a/${recipient}',
    steps: [
      { action: 'send', template: 'one' },
      { action: 'delay', duration: '2 days' },
      { action: 'send', template: 'two' },
    ],
  },
} as Pick<AutomationTemplate, 'name' | 'automation'>
const draft = draftOf(template)
const namesOf = ({ steps }: Pick<Draft, 'steps'>) => steps.map(({ fields }) => fields.template ?? fields.duration)
const positionsOf = ({ steps }: Pick<Draft, 'steps'>) => steps.map(({ key }) => storedPosition(key))

test('a draft is written as it was read', () => {
  expect(automationOf(draft)).toEqual(template.automation)
  expect(inputOf(draft)).toEqual({ ...template, alias: null, triggers: [] })
  expect(isSame(draft, draftOf(template))).toBe(true)
})

test('steps keep their place in the version while others are inserted, moved and removed', () => {
  const inserted = insertStep(draft, 1, 'cancel')
  expect(positionsOf(inserted)).toEqual([0, undefined, 1, 2])
  const moved = moveStep(inserted, 3, 0)
  expect([namesOf(moved), positionsOf(moved)]).toEqual([
    ['two', 'one', undefined, '2 days'],
    [2, 0, undefined, 1],
  ])
  expect(positionsOf(removeStep(moved, 1))).toEqual([2, undefined, 1])
  expect(moveStep(draft, 0, 3)).toBe(draft)
  expect(moveStep(draft, 0, -1)).toBe(draft)
})

test('typed JSON keeps the place of steps that stayed, and of one that was changed where it stands', () => {
  const typed = (steps: object[]) => readAutomation(JSON.stringify({ steps }), draft)
  const changed = typed([
    { action: 'delay', duration: '1 hour' },
    { action: 'send', template: 'one' },
    { action: 'send', template: 'other' },
  ])
  expect(typeof changed === 'object' && positionsOf(changed)).toEqual([undefined, 0, 2])
  expect(typeof changed === 'object' && changed.rest).toEqual({})
  expect(readAutomation('{', draft)).toBe('syntax')
  expect(readAutomation('{"steps":[1]}', draft)).toBe('steps')
})

test('a field of an object is set and removed, and the object with its last one', () => {
  const fields: Fields = { action: 'throttle', on_throttle: { $node_id: 'later' } }
  const path = ['on_throttle', '$node_id']
  expect(valueAt(fields, path)).toBe('later')
  expect(withValue(fields, path, 'end')).toEqual({ ...fields, on_throttle: { $node_id: 'end' } })
  expect(withValue(fields, path, undefined)).toEqual({ action: 'throttle' })
})

test('errors and warnings stand at the step that they name', () => {
  const missing = 'automation.steps.2.template is required'
  expect(problemOf('error', missing)).toEqual({ kind: 'error', text: missing, step: 2 })
  expect(problemOf('warning', 'Unknown field `tempalte` at automation.steps.12.')).toMatchObject({ step: 12 })
  expect(problemOf('error', 'must be a text', 'automation.steps.0.if')).toMatchObject({ step: 0 })
  expect(problemOf('error', 'alias is taken', 'alias')).toEqual({ kind: 'error', text: 'alias is taken' })
})

test('a run over the limit goes on at a later step only', () => {
  const throttle = { action: 'throttle', on_throttle: { $node_id: 'later' } }
  expect(jumpOf([throttle, { action: 'send' }, { action: 'send', ref: 'later' }], 0)).toBe(2)
  expect(jumpOf([{ action: 'send', ref: 'later' }, throttle], 1)).toBeUndefined()
})

test('each action has a form, a start and texts in every language', () => {
  for (const action of actions) {
    expect(Object.keys(newStep[action]).length).toBeGreaterThan(0)
    for (const { name } of stepFields(action))
      for (const language of [stepTexts.en, stepTexts.de]) expect(language[name]).toBeTruthy()
  }
})

test.each([
  [{ action: 'send', template: 'welcome', recipient: 'ada' }, 'welcome → ada'],
  [{ action: 'send', message: { content: { title: 'News' } } }, 'News'],
  [{ action: 'send', recipient: { $ref: 'data.owner' } }, 'data.owner'],
  [{ action: 'delay', duration: '2 days' }, '2 days'],
  [{ action: 'delay', until: 'Mo-Fr 09:00-17:00', timezone: 'Europe/Berlin' }, 'Mo-Fr 09:00-17:00 Europe/Berlin'],
  [{ action: 'fetch-data', webhook: { url: 'https://shop.example' } }, 'GET https://shop.example'],
  [{ action: 'throttle', max_allowed: 3, period: '1 day', scope: 'user' }, '3 / 1 day · user'],
  [{ action: '•••' }, ''],
])('%j is described by %s', (fields, detail) => {
  expect(detailOf(fields)).toBe(detail)
})
