/** Errors of an automation are reported before it starts, each with its place. */

import { expect, test } from 'vitest'
import { checkSize, readAutomation } from './automation.ts'

const hello = { action: 'send', template: 'hello', recipient: 'ada' }
const deep = (levels: number): unknown => (levels === 0 ? { $ref: 'data.x' } : { a: deep(levels - 1) })

test.each<[string, unknown, string]>([
  ['no steps', undefined, 'automation.steps must hold at least one step'],
  ['empty steps', [], 'automation.steps must hold at least one step'],
  ['too many steps', Array(101).fill(hello), 'automation.steps has 101 steps. Max is 100'],
  ['a step that is a text', ['send'], 'automation.steps.0 must be an object'],
  ['no action', [hello, {}], 'automation.steps.1.action is required'],
  ['an unknown action', [{ action: 'dance' }], 'automation.steps.0.action must be one of `send`, `send-list`'],
  ['an action of the prototype', [{ action: 'constructor' }], 'automation.steps.0.action must be one of'],
  [
    'a condition that cannot be read',
    [hello, { ...hello, if: 'data.a ===' }],
    'automation.steps.1.if: The expression cannot be read',
  ],
  ['a condition that calls', [{ ...hello, if: 'fetch("x")' }], 'automation.steps.0.if: This call cannot be used'],
  [
    'a condition with a prototype',
    [{ ...hello, if: 'data.constructor.name' }],
    'automation.steps.0.if reaches beneath the data',
  ],
  [
    'a condition with __proto__',
    [{ ...hello, if: 'data["__proto__"].x' }],
    'automation.steps.0.if reaches beneath the data',
  ],
  ['a condition that is a number', [{ ...hello, if: 7 }], 'automation.steps.0.if must be an expression such as'],
  [
    'a template with a prototype',
    [{ ...hello, template: 'x${data.__proto__}' }],
    'automation.steps.0.template reaches beneath the data',
  ],
  [
    'a template that cannot be read',
    [{ ...hello, data: { a: ['${data.}'] } }],
    'automation.steps.0.data: The expression cannot be read',
  ],
  [
    'a $ref with a prototype',
    [{ ...hello, template: { $ref: 'data.constructor' } }],
    'automation.steps.0.template has a `$ref` that reaches beneath the data',
  ],
  [
    'a $ref to nowhere',
    [{ ...hello, template: { $ref: 'process.env' } }],
    'automation.steps.0.template has a `$ref` that does not begin with one of `data`',
  ],
  [
    'a $ref that is no path',
    [{ ...hello, template: { $ref: 'data[' } }],
    'automation.steps.0.template has a `$ref` that is not a path',
  ],
  [
    'a $ref with company',
    [{ ...hello, template: { $ref: 'data.a', b: 1 } }],
    'automation.steps.0.template has keys beside `$ref`',
  ],
  [
    'a $ref of many parts',
    [{ ...hello, template: { $ref: `data${'.a'.repeat(40)}` } }],
    'automation.steps.0.template has a `$ref` of too many parts',
  ],
  ['a deep $ref', [{ ...hello, data: deep(40) }], 'automation.steps.0.data is nested too deeply'],
  [
    '__proto__ in the data',
    [{ ...hello, data: JSON.parse('{"__proto__":{"a":1}}') }],
    'automation.steps.0.data has a key `__proto__`',
  ],
  [
    '__proto__ as a field',
    [JSON.parse('{"action":"send","__proto__":{"a":1}}')],
    'automation.steps.0 has a key `__proto__`',
  ],
  ['a ref that hides the data', [{ ...hello, ref: 'data' }], 'automation.steps.0.ref must be a name'],
  [
    'a field of another kind',
    [{ ...hello, recipient: {} }],
    'automation.steps.0.recipient must be a string or a whole number',
  ],
  ['a missing field', [{ action: 'invoke' }], 'automation.steps.0.template is required'],
  [
    'two missing fields',
    [{ action: 'throttle' }],
    'automation.steps.0.max_allowed and automation.steps.0.period are required',
  ],
  ['no token', [{ action: 'cancel' }], 'automation.steps.0.cancelation_token is required'],
  [
    'a duration without a unit',
    [hello, hello, { action: 'delay', duration: '5' }],
    'automation.steps.2.duration must be a whole number with a unit',
  ],
  [
    'a duration of ages',
    [{ action: 'delay', duration: '3 years' }],
    'automation.steps.0.duration must end within 732 days',
  ],
  [
    'an invalid timestamp',
    [{ action: 'delay', until: 'someday' }],
    'automation.steps.0.until must be an ISO 8601 timestamp or opening hours',
  ],
  [
    'a day that no calendar has',
    [{ action: 'delay', until: '2026-02-30T08:00', timezone: 'Europe/Vienna' }],
    'automation.steps.0.until must be an ISO 8601 timestamp or opening hours',
  ],
  [
    'a zone that is none',
    [{ action: 'delay', until: '2026-01-01', timezone: 'Moon/Sea' }],
    'automation.steps.0.timezone must be the name of a time zone',
  ],
  [
    'an unknown strategy',
    [{ action: 'fetch-data', webhook: { url: 'http://x' }, merge_strategy: 'mix' }],
    'automation.steps.0.merge_strategy must be one of `replace`, `overwrite`, `soft-merge`, `none`',
  ],
  [
    'a batch of 61 days',
    [{ action: 'add-to-batch', max_wait_period: 'P61D' }],
    'automation.steps.0.max_wait_period must be between a second and 60 days',
  ],
  [
    'a batch that does not wait',
    [{ action: 'add-to-batch', wait_period: 'PT0S' }],
    'automation.steps.0.wait_period must be between a second and 60 days',
  ],
  [
    'a throttle of no time',
    [{ action: 'throttle', max_allowed: 1, period: 'PT0S' }],
    'automation.steps.0.period must be between a second and',
  ],
  [
    'a throttle of ages',
    [{ action: 'throttle', max_allowed: 1, period: 'P9Y' }],
    'automation.steps.0.period must be between a second and',
  ],
  [
    'a batch that waits longer than it may',
    [{ action: 'add-to-batch', wait_period: 'P2D', max_wait_period: 'P1D' }],
    'automation.steps.0.max_wait_period must not be shorter than wait_period',
  ],
  [
    'a sort without a key',
    [{ action: 'add-to-batch', retain: { type: 'highest' } }],
    'automation.steps.0.retain.sort_key is required',
  ],
  [
    'a throttle that allows none',
    [{ action: 'throttle', max_allowed: 0, period: 'PT1H' }],
    'automation.steps.0.max_allowed',
  ],
  ...[{}, { scope: 'user' }, { scope: 'global' }].flatMap<[string, object[], string]>((scope) => [
    [
      `a key of a throttle that counts ${JSON.stringify(scope)}`,
      [{ action: 'throttle', max_allowed: 1, period: 'PT1H', throttle_key: 'k', ...scope }],
      'automation.steps.0.throttle_key has an effect only with the scope `dynamic`',
    ],
    [
      `a key of a batch that collects ${JSON.stringify(scope)}`,
      [{ action: 'add-to-batch', batch_key: '${data.k}', ...scope }],
      'automation.steps.0.batch_key has an effect only with the scope `dynamic`',
    ],
  ]),
  [
    'a throttle that goes round in a circle',
    [{ action: 'throttle', max_allowed: 1, period: 'PT1H', ref: 'a', on_throttle: { $node_id: 'a' } }],
    'automation.steps.0.on_throttle.$node_id must be the `ref` of a later step',
  ],
  [
    'a throttle that goes back',
    [
      { ...hello, ref: 'a' },
      { action: 'throttle', max_allowed: 1, period: 'PT1H', on_throttle: { $node_id: 'a' } },
    ],
    'automation.steps.1.on_throttle.$node_id must be the `ref` of a later step',
  ],
])('%s', (_, steps, message) => {
  let thrown: unknown
  try {
    readAutomation({ steps } as never, 0)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toMatchObject({
    status: 400,
    type: 'invalid_request_error',
    message: expect.stringContaining(message),
  })
})

test.each([[{ a: { $ref: 'data' } }], [[{ $ref: 'data.a' }]], [true]])(
  'a token that is neither a text nor a reference: %j',
  (token) => {
    expect(() => readAutomation({ steps: [hello], cancelation_token: token }, 0)).toThrow(
      'automation.cancelation_token must be a string or a `$ref`',
    )
  },
)

test('a field that is null is one that is not given', () => {
  const nothing = { if: null, ref: null, data: null }
  expect(readAutomation({ steps: [{ ...hello, ...nothing }] }, 0)).toEqual(readAutomation({ steps: [hello] }, 0))
})

test('the size of an automation is that of its bytes', () => {
  const large = (letter: string) => ({ steps: [{ ...hello, data: { text: letter.repeat(200_000) } }] })
  expect(() => checkSize(large('u'))).not.toThrow()
  expect(() => checkSize(large('ü'))).toThrow('automation is larger than 256000 bytes')
})

test('fields that hold references are looked at when they are filled in', () => {
  const steps = [
    { action: 'delay', duration: '${data.n} days' },
    { action: 'throttle', max_allowed: { $ref: 'data.n' }, period: 'refs.a.period' },
  ]
  expect(readAutomation({ steps }, 0).steps).toHaveLength(2)
})
