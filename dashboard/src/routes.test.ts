/** A screen reads each part of its address as the kind it expects, or as absent: any text can stand there. */
import { expect, test, vi } from 'vitest'
import { router } from './routes.tsx'

vi.mock('./address.ts', () => ({ home: '/app/' }))
vi.mock('./parts/states.tsx', () => ({ Failed: () => null }))
vi.mock('./session/session.tsx', () => ({ SessionGate: () => null }))
vi.mock('./shell/not-found.tsx', () => ({ NotFound: () => null }))
vi.mock('./shell/shell.tsx', () => ({ Shell: () => null }))

type Values = Record<string, unknown>

/** The readers of addresses, by the path of their screen. */
const readers = Object.values(router.routesById).flatMap(
  ({ fullPath, options }): [string, (search: Values) => Values][] =>
    'validateSearch' in options && typeof options.validateSearch === 'function'
      ? [[fullPath, options.validateSearch as (search: Values) => Values]]
      : [],
)

/** The search of the screen at this address. */
const searchAt = (path: string, search: Values): Values =>
  router.matchRoutes(path.replaceAll(/\$\w+/g, 'id'), search).at(-1)?.search ?? {}

function partsOf(read: (search: Values) => Values): string[] {
  const names = new Set<string>()
  read(new Proxy({}, { get: (_target, name) => void names.add(String(name)) }))
  return [...names]
}

const values = [
  ...['no value', 'SENT', 'variable_missing', '24h', '', 7, -1, 1.5, true, false, null],
  ...[[], ['no value'], ['SENT', 7], [['SENT']], { length: 1 }, [{}]],
]

const kindOf = (value: unknown): string =>
  Array.isArray(value) ? `list of ${[...new Set(value.map((item) => typeof item))].join(' and ')}` : typeof value

test('every screen with a state in its address is here', () => {
  expect(readers.map(([path]) => path)).toEqual(
    expect.arrayContaining(['/messages', '/integrations', '/audit', '/users']),
  )
})

test.each(readers)('%s reads each part as one kind, whatever stands in the address', (path, read) => {
  const parts = partsOf(read)
  expect(parts).not.toEqual([])
  for (const part of parts) {
    const kinds = new Set(values.map((value) => kindOf(searchAt(path, { [part]: value })[part])))
    kinds.delete('undefined')
    expect([part, [...kinds].length <= 1, ...kinds]).toEqual([part, true, ...kinds])
    expect(['string', 'number', 'boolean', 'list of string', undefined]).toContain([...kinds][0])
  }
})

test('an unknown value of a filter is ignored', () => {
  const search = { finding: 'variable_mising', status: ['SEND', 'SENT'], reason: 'none', last: '3y', live: 'yes' }
  expect(searchAt('/messages', search)).toEqual({ status: ['SENT'] })
  expect(searchAt('/messages', { ...search, finding: 'variable_missing' })).toMatchObject({
    finding: ['variable_missing'],
  })
})
