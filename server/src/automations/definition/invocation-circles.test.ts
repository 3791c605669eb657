/** A circle of automations is found, whatever else they invoke, and within bounds. */
import { expect, test } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import { circleWarnings } from './invocation-circles.ts'

const invoke = (template: unknown, more = {}) => ({ action: 'invoke', template, ...more })
const automation = (...steps: object[]) => ({ steps }) as JsonObject

async function warnings(start: JsonObject, templates: Record<string, JsonObject> = {}) {
  const reads: string[] = []
  const sentences = await circleWarnings(start, ['start', 'alias'], async (name) => {
    reads.push(name)
    return templates[name]
  })
  return { sentences, reads }
}
const again =
  'and no such step has a condition: each run starts another one, until a limit ends the last with an error.'

test('a step that invokes its automation, by id or alias, is named', async () => {
  const { sentences } = await warnings(automation({ action: 'delay' }, invoke('start'), invoke('alias'), invoke('b')))
  expect(sentences).toEqual([
    `automation.steps.1 invokes this automation again, ${again}`,
    `automation.steps.2 invokes this automation again, ${again}`,
  ])
})

test('a circle through others names them', async () => {
  const templates = {
    b: automation(invoke('x'), invoke('c')),
    c: automation(invoke('d')),
    d: automation(invoke('alias')),
  }
  expect((await warnings(automation(invoke('b')), templates)).sentences).toEqual([
    `automation.steps.0 invokes \`b\`, which leads back here by \`c\`, \`d\`, ${again}`,
  ])
  expect((await warnings(automation(invoke('d')), templates)).sentences).toEqual([
    `automation.steps.0 invokes \`d\`, which leads back here, ${again}`,
  ])
})

test('a condition on the way, a reference and a circle of others are none', async () => {
  const templates = { b: automation(invoke('start', { if: 'data.more' })), c: automation(invoke('c')) }
  const steps = [
    invoke('start', { if: 'data.more' }),
    invoke('b'),
    invoke('c'),
    invoke({ $ref: 'data.next' }),
    invoke('gone'),
  ]
  expect((await warnings(automation(...steps), templates)).sentences).toEqual([])
})

test('no more than fifty templates are read for a check, each once', async () => {
  const wide = automation(...Array.from({ length: 100 }, (_, index) => invoke(`t${index}`)))
  const templates = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`t${index}`, wide]))
  for (const start of [automation(invoke('t0')), wide, automation(...Array(100).fill(invoke('t0')))]) {
    const { reads, sentences } = await warnings(start, templates)
    expect([reads.length, new Set(reads).size, sentences]).toEqual([50, 50, []])
  }
})
