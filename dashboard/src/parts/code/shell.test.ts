/** A call that is copied is the call that the page made, whatever stands in it. */
import { expect, test } from 'vitest'
import { curlOfList } from './shell.ts'

test('filters are in the address, lists repeated, and nothing is expanded by the shell', () => {
  const list = 'http://127.0.0.1:4600/messages'
  expect(curlOfList(list, {})).toBe(`curl '${list}' \\\n  -H "Authorization: Bearer $POSTRIDER_API_KEY"`)
  const filtered = curlOfList(list, { status: ['HELD', 'ROUTED'], recipient: "o'neil $HOME", retrying: true })
  expect(filtered).toContain(`'${list}?status=HELD&status=ROUTED&recipient=o%27neil+%24HOME&retrying=true'`)
})
