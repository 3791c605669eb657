/** The commands of the guides work as they stand, against a real server. */
import { spawnSync } from 'node:child_process'
import { readConfig, startServer } from '@postrider/server'
import { expect, test } from 'vitest'
import { databaseEnvironment } from '../support/databases.ts'
import { freePort } from '../support/free-port.ts'
import { shell, stepsOf } from './guide.ts'
import { readDocuments } from './markdown.ts'

const hasShell = spawnSync('bash', ['-c', 'command -v curl'], { stdio: 'ignore' }).status === 0

const documents = readDocuments()
const textOf = (path: string) => documents.find((document) => document.path === path)?.text ?? ''

const names = [
  'first-message',
  'newsletter',
  'one-time-codes',
  'support-desk',
  'sending',
  'automations',
  'providers',
  'push',
  'templates',
  'version-control',
  'lists',
  'tenants',
  'brands',
  'audiences',
  'preferences',
  'webhooks',
  'replays',
  'erasure',
  'simulation',
]
/** Statuses and reasons of messages that a guide makes fail because they are its subject. */
const failuresByGuide: Partial<Record<string, string[]>> = { 'support-desk': ['UNDELIVERABLE', 'SUPPRESSED'] }

test.runIf(hasShell || process.env.CI).each(names)(
  'the commands of the guide %s work as they stand',
  { timeout: 120_000 },
  async (guide) => {
    const apiKey = 'pk_prod_0123456789abcdefghijklmnopqrstuvwxyz'
    const server = await startServer(
      readConfig({
        POSTRIDER_PORT: '0',
        ...(await databaseEnvironment()),
        POSTRIDER_API_KEY: apiKey,
        POSTRIDER_LOG_LEVEL: 'silent',
        // The guide itself demands it: its receiver is on the same machine.
        ...(guide === 'webhooks' && { POSTRIDER_ALLOW_PRIVATE_NETWORK: '127.0.0.0/8' }),
      }),
    )
    try {
      const guideText = textOf(`docs/guides/${guide}.md`)
        .replaceAll('http://127.0.0.1:4600', server.url)
        .replaceAll('4711', String(await freePort()))
      const steps = stepsOf(guideText)
      expect(steps.length).toBeGreaterThan(0)
      const { code, outputs } = await shell(
        steps.map(({ script }) => script),
        {
          POSTRIDER_URL: server.url,
          POSTRIDER_API_KEY: apiKey,
        },
      )
      expect(code, outputs.at(-1)).toBe(0)
      expect(outputs).toHaveLength(steps.length)
      for (const [index, { answer }] of steps.entries())
        if (answer) expect(keysOf(outputs[index] ?? ''), steps[index]?.script).toEqual(keysOf(answer))
      const failures = outputs.join('\n').match(/UNMAPPED|UNROUTABLE|UNDELIVERABLE|SUPPRESSED/g) ?? []
      expect(new Set(failures)).toEqual(new Set(failuresByGuide[guide]))
    } finally {
      await server.stop()
    }
  },
)

const keysOf = (json: string) => Object.keys(JSON.parse(json))
