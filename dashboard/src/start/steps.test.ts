/** A step is done by what shows it, and not by what only looks like it. */
import { expect, test } from 'vitest'
import { machineSteps, stepsOf } from './steps.ts'

const mailbox = { id: 'M', provider: 'mailbox', title: 'Mailbox', enabled: true }
const smtp = { id: 'S', provider: 'smtp', title: 'Company mail', enabled: true }
const made = { name: 'Welcome', creator: 'postrider', updater: 'postrider' }
const fresh = { messages: [], integrations: [mailbox], realMessages: [], templates: [made] }
const done = (records: Partial<Parameters<typeof stepsOf>[0]>) =>
  Object.entries(stepsOf({ ...fresh, ...records })).flatMap(([name, { isDone }]) => (isDone ? [name] : []))

test('nothing that the first start makes is a step', () => {
  expect(done({})).toEqual([])
  expect(done({ templates: [{ name: 'Welcome', creator: 'postrider' }] })).toEqual([])
})

test('a message is the first one, with its recipient and time', () => {
  const messages = [{ event: 'welcome', recipient: 'ada', enqueued: 5 }]
  expect(stepsOf({ ...fresh, messages }).message).toEqual({ isDone: true, name: 'welcome', recipient: 'ada', at: 5 })
})

test('a delivery by an integration that was switched off or deleted since is a real one', () => {
  const providers = [{ provider: 'smtp', integration: 'S', status: 'SENT' as const }]
  expect(done({ integrations: [mailbox, { ...smtp, enabled: false }], realMessages: [{ providers }] })).toEqual([
    'real',
  ])
  expect(done({ realMessages: [{ providers }] })).toEqual(['real'])
})

test('an integration counts while it is switched on', () => {
  expect(done({ integrations: [mailbox, smtp] })).toEqual(['integration'])
  expect(done({ integrations: [mailbox, { ...smtp, enabled: false }] })).toEqual([])
})

test('a template counts when a key wrote it, the first one changed included', () => {
  expect(done({ templates: [made, { name: 'Order shipped', creator: 'backend' }] })).toEqual(['template'])
  expect(done({ templates: [{ ...made, updater: 'backend' }] })).toEqual(['template'])
})

test('a message that failed over to the mailbox is no real delivery', () => {
  const integrations = [mailbox, smtp]
  const providers = [
    { provider: 'smtp', integration: 'S', status: 'UNDELIVERABLE' as const },
    { provider: 'mailbox', integration: 'M', status: 'DELIVERED' as const },
  ]
  expect(done({ integrations, realMessages: [{ providers }] })).toEqual(['integration'])
})

test('a message that a real integration accepted is one, whatever follows', () => {
  const accepted = { provider: 'smtp', integration: 'S', status: 'SENT' as const, sent: 7 }
  const real = (status: 'SENT' | 'OPENED') =>
    stepsOf({ ...fresh, integrations: [smtp], realMessages: [{ providers: [{ ...accepted, status }] }] }).real
  expect(real('SENT')).toEqual({ isDone: true, name: 'Company mail', at: 7 })
  expect(real('OPENED')).toEqual({ isDone: true, name: 'Company mail', at: 7 })
})

test('a copy and a public address are done once they are there', () => {
  const storage = (backup: { last: number | null } | null) => ({
    ...{ bytes: 0, oldest_week: null, oldest_message: null, tables: [], backup },
  })
  expect(machineSteps({ public_url: null, storage: storage({ last: null }) })).toEqual({
    backup: { isDone: false },
    publicUrl: { isDone: false },
  })
  expect(machineSteps({ public_url: 'https://n.example', storage: storage({ last: 9 }) })).toEqual({
    backup: { isDone: true, at: 9 },
    publicUrl: { isDone: true, name: 'https://n.example' },
  })
})

test('a database server is copied by tools of its own, and a state that cannot be read says nothing', () => {
  const storage = { bytes: 0, oldest_week: null, oldest_message: null, tables: [], backup: null }
  expect(Object.keys(machineSteps({ public_url: null, storage }))).toEqual(['publicUrl'])
  expect(Object.keys(machineSteps({ public_url: null, storage: null }))).toEqual(['publicUrl'])
})
