/** The numbered case of the wire about brands. */
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../../support/app.ts'
import { call, nothing, refused } from './wire.ts'

withApp((open) => {
  let app: App
  beforeAll(async () => {
    app = await open()
  })

  test('case 59: the default brand cannot be deleted, and an id is taken once', async () => {
    const { results } = (await call(app, 'GET', '/brands')).json
    const standard = results.find((brand: { default: boolean }) => brand.default)
    const kept = await call(app, 'DELETE', `/brands/${standard.id}`)
    refused(kept, 409)
    expect(kept.json.message).toBe('Cannot delete default brand')
    const body = { id: 'acme', name: 'Acme', settings: {} }
    expect((await call(app, 'POST', '/brands', { body })).status).toBe(200)
    refused(await call(app, 'POST', '/brands', { body }), 409)
    nothing(await call(app, 'DELETE', '/brands/acme'))
  })
})
