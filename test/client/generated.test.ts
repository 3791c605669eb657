/** The committed client is generated from the contract and the adapters of the server as they are. */
import { readFileSync } from 'node:fs'
import { callerOperations, typescript } from '@postrider/contract'
import { providers } from '@postrider/server/providers'
import { expect, test } from 'vitest'

test('the committed client is the one `npm run generate` writes', () => {
  const committed = readFileSync(new URL('../../client/src/generated.ts', import.meta.url), 'utf8')
  expect(committed).toBe(typescript(callerOperations, [...providers.values()]))
})
