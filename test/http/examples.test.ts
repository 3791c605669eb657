/** Every example of the contract, called on a whole service after its prerequisites, gets the documented reply. */
import { type Operation, operations, successOf } from '@postrider/contract'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { runPrerequisites, settledCall } from './example-prerequisites.ts'
import { shapeOf } from './shape.ts'

type Example = [title: string, operation: Operation, status: number, schema: TSchema | null]

withApp((open) => {
  let app: App
  beforeAll(async () => {
    app = await open()
  })

  // A PostgreSQL server is copied by its own tools; providers and recipients call addresses that were signed for them; no
  // call makes a dead letter; bounces come in by LMTP.
  const elsewhere = new Set([
    'service.backup',
    'sessions.switch',
    'sessions.signOut',
    'unrecognizedBounces.list',
    'deadLetters.list',
    'deadLetters.release',
    'deadLetters.dismiss',
  ])
  const here = operations.filter(({ id, calledBy }) => !elsewhere.has(id) && calledBy === undefined)

  const all = here.flatMap((operation): Example[] => {
    const { id, variant, replies } = operation
    const { status, schema } = successOf(operation)
    const base: Example = [id, operation, status, schema]
    if (!variant) return [base]
    const { key, example, examples = {} } = variant
    const shape = replies[variant.status] ?? null
    return [
      base,
      [`${id} with ${key}`, { ...operation, example }, variant.status, shape],
      ...Object.entries(examples).map(([summary, body]): Example => {
        return [`${id}: ${summary}`, { ...operation, example: { ...example, body } }, variant.status, shape]
      }),
    ]
  })

  test.each(all)('%s', async (_title, operation, status, schema) => {
    const answer = await settledCall(operation, app.call, await runPrerequisites(operation, app.call))
    await cleared(app)
    expect([answer.status, answer.text]).toEqual([status, answer.text])
    expect(answer.headers.get('postrider-warnings')).toBeNull()
    if (!schema || operation.produces) return
    expect([...Compile(schema).Errors(answer.json)]).toEqual([])
    const { example } = operation
    if (example?.reply !== undefined) expect(shapeOf(answer.json, schema)).toEqual(shapeOf(example.reply, schema))
  })
})

/** An integration of an example would be called for all later ones. */
async function cleared({ call }: App): Promise<void> {
  for (const place of ['/providers', '/webhooks'])
    for (const { id, provider } of (await call('GET', place)).json.results)
      if (provider !== 'mailbox') await call('DELETE', `${place}/${id}`)
}
