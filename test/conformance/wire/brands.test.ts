/** The numbered case of the wire about brands. */
import { beforeAll, expect, test } from 'vitest'
import { eachHouse, type House } from '../../system/house.ts'
import { ask, nothing, refused } from './wire.ts'

eachHouse((open) => {
  let house: House
  beforeAll(async () => {
    house = await open()
  })

  test('case 59: the default brand cannot be deleted, and an id is taken once', async () => {
    const { results } = (await ask(house, 'GET', '/brands')).json
    const standard = results.find((brand: { default: boolean }) => brand.default)
    const kept = await ask(house, 'DELETE', `/brands/${standard.id}`)
    refused(kept, 409)
    expect(kept.json.message).toBe('Cannot delete default brand')
    const body = { id: 'acme', name: 'Acme', settings: {} }
    expect((await ask(house, 'POST', '/brands', { body })).status).toBe(200)
    refused(await ask(house, 'POST', '/brands', { body }), 409)
    nothing(await ask(house, 'DELETE', '/brands/acme'))
  })
})
