/** The zone of the machine decides about no time: recurring times, opening hours and local timestamps are in zones that are named. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const script = `
  import { nextOpening, nextTime } from '@postrider/server/internal/base/time/opening-hours'
  import { nextOf } from '@postrider/server/internal/base/time/recurrence'
  const at = (text) => Date.parse(text)
  console.log(JSON.stringify([
    new Date().getTimezoneOffset() !== 0,
    ...[
      nextOf({ crons: ['0 * * * *'], zone: 'UTC' }, at('2025-10-05T02:00:00Z')),
      nextOf({ crons: ['30 2 * * *'], zone: 'Europe/Vienna' }, at('2026-03-29T00:00:00Z')),
      nextOpening('Mo-Fr 08:00-12:00', 'UTC', at('2025-10-05T02:00:00Z')),
      nextTime('2025-10-05T02:30', 'Europe/Vienna', 0),
      nextTime('2025-10-05', undefined, 0),
    ].map((time) => new Date(time).toISOString()),
  ]))`

// In Sydney 5 October 2025 has no hour from 02:00 to 03:00.
test.each(['Australia/Sydney', 'America/St_Johns'])('on a machine in %s', async (TZ) => {
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { env: { ...process.env, TZ } })
  expect(JSON.parse(stdout)).toEqual([
    true,
    '2025-10-05T03:00:00.000Z',
    '2026-03-29T01:00:00.000Z',
    '2025-10-06T08:00:00.000Z',
    '2025-10-05T00:30:00.000Z',
    '2025-10-05T00:00:00.000Z',
  ])
})
