/** A webhook delivery of a killed process is made by the next one. */
import { expect, onTestFinished, test } from 'vitest'
import { clientOf, openApp } from '../support/app.ts'
import { newDataFolder } from '../support/databases.ts'
import { startRecorder } from '../support/peers/recorder.ts'
import { startServer } from '../support/process.ts'
import { until } from '../support/until.ts'

const apiKey = `pk_prod_${'w'.repeat(40)}`

test('killed during a delivery, it delivers again after the next start', { timeout: 120_000 }, async () => {
  const peer = await startRecorder()
  onTestFinished(() => peer.close())
  const env = {
    // The next start takes over at once there.
    POSTRIDER_DATA_DIR: await newDataFolder(),
    POSTRIDER_API_KEY: apiKey,
    POSTRIDER_ALLOW_PRIVATE_NETWORK: 'true',
  }
  const calls = () => peer.all.filter(({ path }) => path === '/killed')
  peer.answer('/killed', { instead: 'hang' }, 1)
  const first = await startServer({ env })
  onTestFinished(() => first.kill('SIGKILL'))
  await clientOf(first.url, apiKey).webhooks.create({ url: `${peer.url}/killed` })
  const { messageId } = await clientOf(first.url, apiKey).send({ event: 'no-such-event', recipient: 'ada' })
  await until(
    async () => calls().length,
    (count) => count === 1,
  )
  first.kill('SIGKILL')
  await first.exited
  const second = await openApp({ env })
  onTestFinished(() => second.stop())
  await until(
    async () => calls().length,
    (count) => count === 2,
  )
  const [before, again] = calls()
  expect(again!.headers['webhook-id']).toBe(before!.headers['webhook-id'])
  expect(JSON.parse(again!.body).data.id).toBe(messageId)
})
