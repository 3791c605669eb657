/** A filter is read in all its forms, and one that cannot be read is refused. */
import type { Engine } from '@postrider/server'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openApp } from '../support/app.ts'
import { withEngine } from '../support/engine.ts'
import type { RecordingApp } from '../support/recording-app.ts'
import { audienceCalls, engineers } from './audience-calls.ts'

withEngine((open) => {
  let api: RecordingApp
  let engine: Engine
  beforeAll(async () => {
    engine = await open()
    api = await openApp({ pipeline: 'recording', engine })
  })
  afterAll(() => api.stop())

  const { clear, put, profile, settle, idsOf } = audienceCalls(() => api)
  beforeEach(clear)

  test('all three forms of a filter are read: a condition, filters, and rules', async () => {
    await profile('ada', { title: 'Software Engineer', address: { country: 'NL' } })
    await profile('bob', { title: 'Writer', address: { country: 'NL' } })
    const dutch = { operator: 'EQ', path: 'address.country', value: 'NL' }
    const forms: [unknown, string[]][] = [
      [{ filter: dutch }, ['ada', 'bob']],
      [{ filter: { filters: [dutch, engineers] } }, ['ada']],
      [{ filter: { filters: [dutch, engineers] }, operator: 'OR' }, ['ada', 'bob']],
      [{ filter: { operator: 'AND', rules: [dutch, engineers] } }, ['ada']],
      [{ filter: { operator: 'AND', filters: [dutch, { operator: 'OR', rules: [engineers] }] } }, ['ada']],
    ]
    for (const [index, [body, members]] of forms.entries()) {
      await put(`form-${index}`, body)
      await settle()
      expect(await idsOf(`form-${index}`), `form ${index}`).toEqual(members)
    }
  })

  describe('a bad audience is refused and changes nothing', () => {
    const deep = (levels: number): unknown =>
      levels === 0 ? engineers : { operator: 'AND', filters: [deep(levels - 1)] }
    const operators =
      'operator must be one of `AND`, `ENDS_WITH`, `EQ`, `EXISTS`, `GT`, `GTE`, `INCLUDES`, `IS_AFTER`, `IS_BEFORE`, `LT`, `LTE`, `MEMBER_OF`, `NEQ`, `OMIT`, `OR`, `STARTS_WITH`'
    test.each<[string, unknown, string]>([
      ['an unknown operator', { filter: { ...engineers, operator: 'BOGUS' } }, `filter.${operators}`],
      ['no operator', { filter: { path: 'a', value: 'b' } }, `filter.${operators}`],
      [
        'an unknown operator inside',
        { filter: { filters: [engineers, { ...engineers, operator: 'eq' }] } },
        `filter.filters.1.${operators}`,
      ],
      ['no path', { filter: { operator: 'EQ', value: 'b' } }, 'filter.path is required'],
      ['an empty part of a path', { filter: { ...engineers, path: 'a..b' } }, 'filter.path has an empty part'],
      ['no value', { filter: { operator: 'EQ', path: 'a' } }, 'filter.value is required'],
      [
        'an object as a value',
        { filter: { ...engineers, value: {} } },
        'filter.value must be a string, a number, a boolean or an array of them',
      ],
      [
        'an invalid timestamp',
        { filter: { operator: 'IS_AFTER', path: 'a', value: 'soon' } },
        'filter.value must be a timestamp: ISO 8601, or milliseconds since the Unix epoch',
      ],
      [
        'an empty group',
        { filter: { operator: 'OR', filters: [] } },
        'filter.filters must be an array of at least one filter',
      ],
      ['a text in a group', { filter: { operator: 'OR', filters: ['x'] } }, 'filter.filters.0 must be an object'],
      [
        'another path for MEMBER_OF',
        { filter: { operator: 'MEMBER_OF', path: 'list_id', value: 'a' } },
        'filter.path must be one of `tenant_id`, `account_id` for `MEMBER_OF`',
      ],
      ['too deep a filter', { filter: deep(9) }, 'filter is nested more than 8 deep'],
      [
        'too many conditions',
        { filter: { filters: Array(101).fill(engineers) } },
        'filter must have at most 100 conditions',
      ],
      [
        'too large a filter',
        { filter: { ...engineers, value: 'x'.repeat(16_400) } },
        'filter must have at most 16384 bytes',
      ],
      ['an unknown joining operator', { operator: 'EQ' }, 'operator must be one of `AND`, `OR`'],
      ['no object', 7, 'body must be an object'],
    ])('%s', async (_, body, message) => {
      const answer = await api.call('PUT', '/audiences/bad', { body })
      expect([answer.status, answer.json]).toMatchObject([400, { message, type: 'invalid_request_error' }])
      expect((await api.call('GET', '/audiences/bad')).status).toBe(404)
    })

    test('no body, as one old client sends', async () => {
      expect((await api.call('PUT', '/audiences/bad')).json).toMatchObject({
        message: 'A body is required',
        type: 'invalid_request_error',
      })
    })

    test('one audience too many', async () => {
      await engine.run({
        text: `insert into audiences (workspace_id, id, name, description, version, created, updated)
          select 1, 'a-' || n, '', '', 1, 0, 0 from generate_series(1, 500) n`,
        values: [],
      })
      const answer = await api.call('PUT', '/audiences/one-more', { body: { filter: engineers } })
      expect([answer.status, answer.json.message]).toEqual([400, expect.stringContaining('500')])
      await put('a-7', { filter: engineers })
    })
  })
})
