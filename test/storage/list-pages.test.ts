/** A list whose runs together are larger than a commit: page by page, each recipient once, also when the process crashes between two pages. */
import { executeRun } from '@postrider/server/internal/automations/runs/worker'
import { createLog } from '@postrider/server/internal/base/log'
import { runSteps } from '@postrider/server/internal/database/tables/automations/runs'
import { replaceSubscriptions } from '@postrider/server/internal/database/tables/lists/lists'
import { beforeAll, expect, test } from 'vitest'
import { durableStoreAt } from './durable-store.ts'
import { now, SECOND, withRunRows } from './run-rows.ts'

/** The data of one recipient: twenty of them are a page. */
const BYTES = 200_000
const PAGE_BYTES = 4 * 1_048_576
const people = Array.from({ length: 90 }, (_, n) => `user-${String(n).padStart(2, '0')}`)

withRunRows((rows, engine) => {
  beforeAll(async () => {
    const subscribers = people.map((recipient) => ({ recipient, preferences: null }))
    await engine.batch(replaceSubscriptions(1, 'team', subscribers, 0))
  })

  const steps = [
    {
      action: 'send-list',
      ...{ list: 'team', template: 'news', data: { text: 'x'.repeat(BYTES) } },
      data_source: { webhook: { url: 'https://shop.example/' } },
    },
  ]
  /** Claims the run and continues it as far as `breaks` allows; returns the bytes of each page on disk. */
  async function claimOf(
    at: number,
    breaks: (page: number) => 'between' | 'before' | 'after' | undefined = () => undefined,
  ) {
    const [row] = await rows.claim(1, 'L', at, SECOND)
    const pages: number[] = []
    const live = durableStoreAt(engine, at)
    const store: typeof live = {
      ...live,
      async commit(run, change) {
        const { runs = [] } = ('effects' in change && change.effects) || {}
        if (breaks(pages.length) === 'before') throw new Error('The process is gone')
        const verdict = await live.commit(run, change)
        pages.push(runs.reduce((sum, { context }) => sum + JSON.stringify(context).length, 0))
        if (breaks(pages.length - 1) === 'after') throw new Error('The process is gone')
        return verdict
      },
    }
    const mayContinue = () => breaks(pages.length - 1) !== 'between'
    if (row) await executeRun(row, { engine, log: createLog('silent'), store, now: () => at, mayContinue })
    return pages
  }
  const inputs = async () => {
    const { rows: messages } = await engine.run<{ recipient: string }>({
      text: `select start::json #>> '{context,recipient}' as recipient from runs where lane = 2 order by 1`,
      values: [],
    })
    return messages.map(({ recipient }) => recipient)
  }
  const start = async () => {
    const [run] = await rows.start(1, { automation: JSON.stringify({ steps }) })
    return run!.id
  }

  test('each page is as large as a commit may be, and the pages reach each recipient once', async () => {
    const id = await start()
    const pages = await claimOf(now)
    expect(pages).toHaveLength(5)
    expect(Math.max(...pages)).toBeLessThan(PAGE_BYTES)
    expect(Math.min(...pages.slice(0, -1))).toBeGreaterThan(PAGE_BYTES / 2)
    expect(await inputs()).toEqual(people)
    expect(await runSteps(engine, 1, id)).toMatchObject([{ status: 'PROCESSED', result: '{"runs":90}' }])
  })

  test.each(['between', 'before', 'after'] as const)('also when the process is gone %s pages', async (where) => {
    const id = await start()
    let at = now
    for (let claim = 0; (await rows.statusOf(id)) === 'PROCESSING' && claim < 20; claim += 1) {
      await claimOf(at, (page) => (page === 1 ? where : undefined))
      at += SECOND
    }
    expect(await inputs()).toEqual(people)
    expect(await rows.statusOf(id)).toBe('PROCESSED')
  })
})
