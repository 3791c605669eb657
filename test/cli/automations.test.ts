/** `postrider automations` on a folder and a server: kept in files, written back, and run. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, openApp } from '../support/app.ts'
import { run as runCommand } from './in-process.ts'

let app: App
let root: string
let dir: string

beforeAll(async () => {
  app = await openApp()
  root = mkdtempSync(join(tmpdir(), 'postrider-automations-'))
  dir = join(root, 'automations')
})
afterAll(async () => {
  await app.stop()
  rmSync(root, { recursive: true, force: true })
})

const run = (...args: string[]) =>
  runCommand(['automations', ...args], {
    env: { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey, NO_COLOR: '1' },
  })
const write = (name: string, document: object) => writeFileSync(join(dir, `${name}.json`), JSON.stringify(document))
const steps = [
  { action: 'send' as const, template: 'welcome', ref: 'hello' },
  { action: 'delay' as const, duration: '1 second' },
]

test('pull, push and diff as templates have them, and triggers are kept', async () => {
  const triggers = [{ type: 'schedule' as const, cron: '0 9 * * 1' }]
  await app.client.automations.putTemplate('weekly', { name: 'Weekly', triggers, automation: { steps } })
  await app.client.automations.putTemplate('plain/one', { automation: { steps } })
  expect(await run('pull', '--dir', dir)).toMatchObject({ code: 0 })
  expect(readdirSync(dir).sort()).toEqual(['.postrider', 'plain%2Fone.json', 'weekly.json'])
  expect(JSON.parse(readFileSync(join(dir, 'plain%2Fone.json'), 'utf8'))).toEqual({ automation: { steps } })
  write('weekly', { name: 'Weekly', triggers, automation: { steps: steps.slice(0, 1) } })
  write('fresh', { alias: 'newest', automation: { steps } })
  const { code, out } = await run('push', '--dir', dir, '--dry-run', '--json')
  expect([code, JSON.parse(out)]).toMatchObject([
    4,
    {
      written: false,
      results: [
        { name: 'fresh', difference: 'only_here', action: 'create' },
        { name: 'plain/one', difference: 'same', action: 'none' },
        { name: 'weekly', difference: 'changed_here', action: 'update', diff: [{ file: 'weekly.json' }] },
      ],
    },
  ])
  expect(await run('push', '--dir', dir, '--yes')).toMatchObject({ code: 0 })
  expect(await app.client.automations.template('newest')).toMatchObject({ id: 'fresh', version: 1 })
  expect(await app.client.automations.template('weekly')).toMatchObject({
    version: 2,
    triggers: [{ cron: '0 9 * * 1', timezone: 'UTC' }],
  })
  expect((await run('diff', '--dir', dir)).code).toBe(0)
})

test('an invalid automation, schedule or alias stops all of a push', async () => {
  write('a-good', { automation: { steps } })
  write('bad-alias', { alias: 'newest', automation: { steps } })
  write('bad-cron', { triggers: [{ type: 'schedule', cron: 'often' }], automation: { steps } })
  write('bad-step', { automation: { steps: [{ action: 'dance' }] } })
  const { code, err } = await run('push', '--dir', dir, '--yes')
  expect(code).toBe(1)
  for (const part of [
    'bad-alias: alias: `newest` leads to `fresh`',
    'bad-cron: triggers.0: `often`',
    'bad-step: automation.steps.0.action',
  ])
    expect(err).toContain(part)
  await expect(app.client.automations.template('a-good')).rejects.toThrow()
})

test('invoke starts a run, follows its steps, and prints how it ended', async () => {
  await app.client.automations.putTemplate('onboarding', { name: 'Onboarding', automation: { steps } })
  const options = ['--profile', 'email=ada@example.com', '--data', 'name=Ada']
  const { code, out, err } = await run('invoke', 'onboarding', 'ada', ...options, '--wait')
  expect([code, out]).toEqual([0, expect.stringMatching(/^\S+ PROCESSED\n$/)])
  expect(err).toMatch(/^0 {2}send \(hello\) {2}PROCESSED {2}1-/m)
  expect(err).toMatch(/^1 {2}delay {2}WAITING {2}waits until/m)
  const started = await run('invoke', 'onboarding', 'ada', '--json')
  expect(JSON.parse(started.out)).toEqual({ runId: expect.any(String) })
  const broken = [{ action: 'invoke' as const, template: 'nowhere' }]
  await app.client.automations.putTemplate('broken', { automation: { steps: broken } })
  expect(await run('invoke', 'broken', '--wait')).toMatchObject({
    code: 1,
    out: expect.stringMatching(/ERROR: steps\.0 \(invoke\): .*nowhere/),
  })
  expect(await run('invoke', 'unknown-template')).toMatchObject({
    code: 1,
    err: expect.stringContaining('Unknown automation template `unknown-template`'),
  })
})

test('list and show', async () => {
  expect((await run('list')).out).toMatch(/onboarding +Onboarding/)
  expect((await run('show', 'newest')).out).toContain('id: fresh')
})
