/** Nodes of two releases share the rows of deliveries: their JSON keeps its keys. */
import { expect, test } from 'vitest'
import { deliveriesText, parseDeliveries, type StoredDelivery } from './delivery.ts'

const delivery: StoredDelivery = {
  ...{ n: 0, channel: 'email', provider: 'smtp', integration: 'I', state: 'waiting', attempts: 1, firstAt: 1, log: [] },
}

test('a delivery that failed over is written under the key that the release before reads', () => {
  const [row, other] = JSON.parse(
    deliveriesText([
      { ...delivery, failedOver: 'channel' },
      { ...delivery, n: 1 },
    ]),
  )
  expect(row).toEqual({ ...delivery, passedOver: 'channel' })
  expect(other).toEqual({ ...delivery, n: 1 })
})

test('a written value is read again', () => {
  const deliveries: StoredDelivery[] = [
    { ...delivery, failedOver: 'provider' },
    { ...delivery, n: 1 },
  ]
  expect(parseDeliveries(deliveriesText(deliveries))).toEqual(deliveries)
  expect(parseDeliveries(JSON.stringify([{ ...delivery, passedOver: 'channel' }]))).toMatchObject([
    { failedOver: 'channel' },
  ])
})
