/** Values of an event in the text of a message are text, in the delivered mail and in a simulation. */
import type { AutomationStep } from '@postrider/client'
import { beforeAll, expect, test } from 'vitest'
import { type App, settled, withApp } from '../support/app.ts'
import { until } from '../support/until.ts'

const t = '{{{secret}}} {profile.email} [Reset](https://evil.example) <b>x</b>'
const data = { t, secret: 'S3' }
const content = { title: 'T ${data.t}', body: 'B **strong** ${data.t}' }
const steps: AutomationStep[] = [
  { action: 'send', message: { to: { user_id: 'ada' }, content, routing: { method: 'single', channels: ['email'] } } },
  { action: 'send', message: { to: { user_id: 'ada' }, content, routing: { method: 'single', channels: ['sms'] } } },
  {
    action: 'send',
    message: { to: [{ user_id: 'ada' }], content, routing: { method: 'single', channels: ['email'] } },
  },
]
const profile = { email: 'ada@example.com', phone_number: '+4312345678' }

withApp((open) => {
  let app: App
  beforeAll(async () => {
    app = await open()
    await app.client.profiles.merge('ada', { profile })
  })

  const outputOf = async (id: string) => (await app.call('GET', `/messages/${id}/output`)).json.results[0].content
  const check = ({ title, html, text, body }: Record<string, string>) => {
    expect(title).toBe(`T ${t}`)
    expect(text ?? body).toBe(`B strong ${t}`)
    if (html) {
      expect(html).toContain(
        'B <strong>strong</strong> {{{secret}}} {profile.email} [Reset](https://evil.example) &lt;b&gt;',
      )
      expect(html).not.toContain('href="https://evil')
    }
  }

  test('a mail to one, a mail to many', async () => {
    const body = { automation: { steps: [steps[0], steps[2]] }, data }
    const { runId } = (await app.call('POST', '/automations/invoke', { body })).json
    const sent = await until(
      async () => (await app.client.messages.list()).results,
      (messages) => messages.filter((message) => message.runId === runId).length === 2,
    )
    for (const { id } of sent) {
      expect((await settled(app.client, id)).status).toBe('DELIVERED')
      check(await outputOf(id))
    }
  })

  test('the same in a simulation, by mail and by text message', async () => {
    const { timeline } = await app.client.simulate({ automation: { steps: steps.slice(0, 2) }, context: { data } })
    const rendered = timeline.flatMap(({ messages = [] }) =>
      messages.flatMap(({ explanation }) => explanation?.rendered ?? []),
    )
    expect(rendered.map(({ channel }) => channel)).toEqual(['email', 'sms'])
    for (const { content } of rendered) check(content as never)
  })
})
