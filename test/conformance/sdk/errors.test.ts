/** An error of the API reaches callers of every SDK with its class, status and message. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, withApp } from '../../support/app.ts'
import { type Call, generations, type Made, methodsOf } from './methods.ts'

/** The class that an SDK has for a status; the first three have one for all. */
const classes: Record<number, Record<number, string>> = {
  4: {},
  5: {},
  6: { 400: 'BadRequestError', 404: 'MessageNotFoundError', 409: 'AlreadyExistsError' },
  7: { 400: 'BadRequestError', 401: 'AuthenticationError', 404: 'NotFoundError', 409: 'ConflictError' },
}
const usual: Record<number, string> = {
  4: 'CourierHttpClientError',
  5: 'CourierHttpClientError',
  6: 'CourierError',
  7: 'APIError',
}

const UNKNOWN = '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5'
const brand = { id: 'taken', name: 'Taken', settings: {} }
const tooMuch = { text: 'x'.repeat(6 * 1_048_576) }

withApp((open) => {
  let app: App
  beforeAll(async () => {
    app = await open()
    await app.call('POST', '/brands', { body: brand })
  })

  describe.each(generations)('generation $version', ({ major, open: openSdk }) => {
    const refused = async (name: string, args: unknown[], apiKey = app.apiKey): Promise<Made> => {
      const method = methodsOf(await openSdk(app.url, apiKey)).get(name) as Call
      return method(...args).then(
        () => expect.unreachable('it was not refused'),
        (reason: unknown) => reason,
      )
    }
    const seen = (error: Made, status: number) => {
      const body = error.response?.data ?? error.data ?? error.body ?? error.error
      expect(error.status ?? error.statusCode ?? error.response.status).toBe(status)
      if (major < 4) expect(error.isAxiosError).toBe(true)
      else expect(error.constructor.name).toBe(classes[major]?.[status] ?? usual[major])
      // The first three have the status in the message, and the body beside it.
      if (major >= 4) expect(error.message).toContain(body.message)
      return body
    }
    const [read, create, send] = {
      6: ['messages.get', 'brands.create', 'send'],
      7: ['messages.retrieve', 'brands.create', 'send.message'],
    }[major] ?? ['getMessage', 'createBrand', 'send']
    const message = { message: { to: { user_id: 'r' }, template: 'e', data: tooMuch } }

    test('a wrong key is a 401', async () => {
      const type = 'authentication_error'
      expect(seen(await refused(read!, [UNKNOWN], 'pk_prod_wrong'), 401)).toMatchObject({ type })
    })

    test('an unknown message is a 404', async () => {
      const body = { message: 'Message not found', type: 'invalid_request_error' }
      expect(seen(await refused(read!, [UNKNOWN]), 404)).toMatchObject(body)
    })

    test('a missing field is a 400', async () => {
      expect(seen(await refused(create!, [{ id: 'nameless' }]), 400).message).toMatch(/\bname\b/)
    })

    test('an existing id is a 409', async () => {
      expect(seen(await refused(create!, [brand]), 409)).toMatchObject({ message: 'Already Exists' })
    })

    test('too much is a 413', async () => {
      const body = major < 6 ? { eventId: 'e', recipientId: 'r', data: tooMuch } : message
      seen(await refused(send!, [body]), 413)
    })
  })
})
