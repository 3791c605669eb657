/** The program of a user: compiled and run against the packed client, as an ES module and as CommonJS. */
import { isPostriderError, Postrider, PostriderError } from '@postrider/client'

const [baseUrl = '', apiKey = ''] = process.argv.slice(2)
const postrider = new Postrider({ baseUrl, apiKey, backoffMs: 1 })

const failure = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof PostriderError)) throw new Error('No PostriderError', { cause: error })
  return [error.kind, error.status, isPostriderError(error, error.kind)]
}

// A call that the types forbid is an error when this is compiled.
export const misuses = [
  // @ts-expect-error A number is no id.
  () => postrider.messages.get(1),
  // @ts-expect-error A send has a recipient.
  () => postrider.send({ event: 'welcome' }),
  // @ts-expect-error There is no such status.
  () => postrider.messages.list({ status: ['LOST'] }),
]

async function main() {
  const first = await postrider.send({ event: 'welcome', recipient: 'ada', profile: { email: 'ada@example.com' } })
  const second = await postrider.send({ message: { to: { user_id: 'ada' }, content: { title: 'Hi', body: 'There' } } })

  for (let n = 0; n < 12; n += 1)
    await postrider.send({ event: 'later', recipient: 'many', delay: { duration: 3_600_000 } })
  const many = new Set<string>()
  for await (const { id } of postrider.messages.list({ recipient: 'many' })) many.add(id)
  const pages: number[] = []
  for await (const { results } of postrider.messages.list({ recipient: 'many' }).pages()) pages.push(results.length)

  const unauthenticated = new Postrider({ baseUrl, apiKey: 'unknown' })
  const errors = {
    unknown: await failure(postrider.messages.get('unknown')),
    unauthenticated: await failure(unauthenticated.messages.list()),
    bad: await failure(postrider.send({ event: '', recipient: 'ada' })),
    silent: await failure(postrider.messages.list({}, { headers: { 'x-peer': 'silent' }, timeoutMs: 200, retries: 1 })),
  }

  // The connection breaks after the server has done it.
  const dropped = await postrider.send({ event: 'later', recipient: 'dropped' }, { headers: { 'x-peer': 'drop' } })
  const kept = await postrider.messages.list({ recipient: 'dropped' })

  console.log(
    JSON.stringify({
      first: typeof first.messageId,
      second: typeof second.requestId,
      many: many.size,
      pages,
      errors,
      dropped: kept.results.map(({ id }) => id === dropped.messageId),
    }),
  )
}

main().catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
