/** The environment decides about variables without a value, and a template may decide otherwise. */
import type { Postrider, Settings } from '@postrider/client'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, settled, withApp } from '../support/app.ts'
import { publish } from './templates.ts'

withApp((open) => {
  let app: App
  let client: Postrider
  const content = { title: 'Hi {name}', body: 'Hello {name}!' }
  const to = { user_id: 'ada', email: 'ada@example.com' }
  const choices = ['keep', 'fail', 'empty'] as const
  const error = expect.stringMatching(/^(?:elements\.0|title): The variable `\{name\}` has no value$/)

  beforeAll(async () => {
    app = await open()
    client = app.client
    await publish(client, 'silent', { channels: ['email'], content })
    for (const choice of choices)
      await publish(client, choice, { channels: ['email'], content, settings: { on_missing_variable: choice } })
  })

  const set = (choice: Settings['on_missing_variable']) => client.settings.update({ on_missing_variable: choice })
  const sent = async (message: object) =>
    (await client.send({ message: { to, routing: { method: 'single', channels: ['email'] }, ...message } })).requestId
  const outputOf = async (id: string) =>
    (await client.messages.output(id)).results.map(({ content: { subject, text } }) => [subject, text])
  /** The content as it was sent, or the error. */
  const result = async (message: object) => {
    const id = await sent(message)
    const { status, error } = await settled(client, id)
    return status === 'UNDELIVERABLE' ? error : (await outputOf(id))[0]
  }

  const kept = ['Hi {name}', 'Hello {name}!']
  const leftOut = ['Hi', 'Hello !']
  const results = { keep: kept, fail: error, empty: leftOut }

  test('it stays as it was written unless something else is set', async () => {
    expect((await client.settings.get()).on_missing_variable).toBe('keep')
    expect(await result({ template: 'silent' })).toEqual(kept)
  })

  describe.each(choices)('with %s', (choice) => {
    beforeAll(async () => {
      expect(await set(choice)).toEqual({ hold_misconfigured: false, on_missing_variable: choice })
    })

    test('so it is for content of a send and a template that does not say', async () => {
      expect(await result({ template: 'silent' })).toEqual(results[choice])
      expect(await result({ content })).toEqual(results[choice])
      expect(await result({ template: 'silent', data: { name: 'Ada' } })).toEqual(['Hi Ada', 'Hello Ada!'])
    })

    test('the choice of a template wins', async () => {
      for (const template of choices)
        expect([template, await result({ template })]).toEqual([template, results[template]])
    })

    test('an explanation has what is sent', async () => {
      const { decision, rendered } = await client.explain({
        message: { to, template: 'silent', routing: { method: 'single', channels: ['email'] } },
      })
      const [first] = rendered
      expect([decision.status, first?.error ?? [first?.content.subject, first?.content.text]]).toEqual([
        choice === 'fail' ? 'UNDELIVERABLE' : 'ROUTED',
        results[choice],
      ])
    })

    test('a strict send is refused without the value', async () => {
      for (const template of ['silent', 'empty'])
        expect(await app.call('POST', '/send?strict=true', { body: { message: { to, template } } })).toMatchObject({
          status: 400,
          json: { message: 'The strict send is refused. elements.0: The variable `{name}` has no value.' },
        })
    })
  })

  test('a message is shown as it was sent when the setting has changed', async () => {
    await set('empty')
    const id = await sent({ content })
    await settled(client, id)
    await set('fail')
    expect(await outputOf(id)).toEqual([leftOut])
    await set('keep')
    expect(await outputOf(id)).toEqual([leftOut])
  })

  test('changes of two settings at a time are both kept', async () => {
    for (const hold_misconfigured of Array.from({ length: 10 }, (_, count) => count % 2 === 0)) {
      const on_missing_variable = hold_misconfigured ? 'empty' : 'keep'
      await Promise.all([client.settings.update({ hold_misconfigured }), set(on_missing_variable)])
      expect(await client.settings.get()).toEqual({ hold_misconfigured, on_missing_variable })
    }
    expect(await client.settings.update({})).toEqual(await client.settings.get())
  })

  test('another choice is refused, and a change of another setting leaves it', async () => {
    await set('fail')
    expect(await app.call('PUT', '/settings', { body: { on_missing_variable: 'skip' } })).toMatchObject({
      ...{ status: 400, json: { param: 'on_missing_variable' } },
    })
    expect(await client.settings.update({ hold_misconfigured: true })).toEqual({
      ...{ hold_misconfigured: true, on_missing_variable: 'fail' },
    })
  })
})
