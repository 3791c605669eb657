/** GET /mailbox says which channels the mailbox serves, in each environment by its rule. */
import { Postrider } from '@postrider/client'
import { channels } from '@postrider/contract'
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'

withApp((open) => {
  let app: App
  beforeAll(async () => {
    app = await open()
  })

  const withoutEmail = channels.filter((channel) => channel !== 'email')

  test.each([
    ['production', withoutEmail],
    ['test', channels],
  ] as const)(
    'in %s a channel leaves it with an integration, and returns by its rule when that is deleted',
    async (environment, afterwards) => {
      const { key } = await app.client.keys.create({ name: environment, environment })
      const client = new Postrider({ baseUrl: app.url, apiKey: key })
      const served = async () => (await client.mailbox.list()).channels
      expect(await served()).toEqual(channels)
      const { id } = await client.providers.create({
        ...{ provider: 'smtp', title: 'Company mail' },
        settings: { host: 'mail.example.com', fromAddress: 'news@example.com' },
      })
      expect(await served()).toEqual(withoutEmail)
      await client.providers.update(id, { provider: 'smtp', enabled: false })
      expect(await served()).toEqual(afterwards)
      await client.providers.delete(id)
      expect(await served()).toEqual(afterwards)
    },
  )
})
