/** The figures count every message that comes into being, and show what waits in each lane. */
import { expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { figureOf } from './figures.ts'
import { publish } from './templates.ts'

withApp((open) => {
  test('messages of sends, lists, bulk jobs and automations are counted once each', async () => {
    const app = await open()
    const { client, url } = app
    await publish(client, 'greeting')
    await client.lists.put('readers', { name: 'Readers' })
    for (const reader of ['a', 'b', 'c']) await client.lists.subscribe('readers', reader)
    await client.send({ event: 'greeting', recipient: 'one' })
    await client.send({ message: { to: { list_id: 'readers' }, template: 'greeting' } })
    const { jobId } = await client.bulk.create({ message: { event: 'greeting' } })
    await client.bulk.ingest(jobId, { users: [{ recipient: 'd' }, { recipient: 'e' }] })
    await client.bulk.run(jobId)
    await client.automations.invoke({
      automation: {
        steps: ['f', 'g'].map((recipient) => ({ action: 'send' as const, recipient, template: 'greeting' })),
      },
    })
    const accepted = () => figureOf(url, 'postrider_messages_accepted_total', { workspace: 'production' })
    const messages = 1 + 3 + 2 + 2
    await until(
      async () => (await client.messages.list()).results.length,
      (count) => count === messages,
    )
    await until(accepted, (count) => count >= messages)
    expect(await accepted()).toBe(messages)
  })

  test('waiting messages are counted by lane', async () => {
    // No worker processes it.
    const { client, url } = await open({ env: { POSTRIDER_ROLE: 'api' } })
    await client.send({ event: 'welcome', recipient: 'now' })
    await client.send({ message: { to: { user_id: 'later' }, template: 'welcome', delay: { duration: 3_600_000 } } })
    const inLane = (name: string, lane: string) => figureOf(url, `postrider_messages_${name}`, { lane })
    expect(await inLane('waiting', 'transactional')).toBe(1)
    expect(await inLane('overdue', 'transactional')).toBe(1)
    expect(await inLane('oldest_overdue_seconds', 'transactional')).toBeGreaterThan(0)
    expect(await inLane('overdue', 'bulk')).toBe(0)
    const text = await (await fetch(`${url}/metrics`)).text()
    expect(text).toContain('postrider_messages_overdue{lane="automation"} 0')
  })
})
