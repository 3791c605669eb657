/** Fields of the command line say what they seem to say. */
import { expect, test } from 'vitest'
import { assign, type Fields } from './assign.ts'

const fields = (...texts: string[]) =>
  texts.reduce<Fields | undefined>((before, text) => assign(text, before), undefined)

test('a value is the text after the first equals sign', () =>
  expect(fields('name=Ada', 'code=007', 'sum=a=b', 'empty=', 'time=12:30')).toEqual({
    name: 'Ada',
    code: '007',
    sum: 'a=b',
    empty: '',
    time: '12:30',
  }))

test('after := stands JSON', () =>
  expect(fields('count:=2', 'items:=[{"a":1}]', 'none:=null')).toEqual({ count: 2, items: [{ a: 1 }], none: null }))

test('the last of two values counts', () => expect(fields('a=1', 'a=2')).toEqual({ a: '2' }))

test('a key called __proto__ is a key', () => {
  const made = fields('__proto__:={"admin":true}')
  expect(Object.keys(made ?? {})).toEqual(['__proto__'])
  expect((made as { admin?: boolean }).admin).toBeUndefined()
})

test.each(['name', '=x', ':=1', 'a:=b'])('%s is refused', (text) => expect(() => fields(text)).toThrow())
