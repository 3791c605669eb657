/** The contract names the fields of the elements that the compiler reads, no more and no fewer. */
import { elementFields } from '@postrider/contract'
import { expect, test } from 'vitest'
import { elements } from './elements.ts'

test('the contract knows every element', () => {
  expect(Object.keys(elementFields).toSorted()).toEqual([...elements.keys()].toSorted())
})

test.each(Object.entries(elementFields))('the fields of %s', (type, fields) => {
  const element = elements.get(type)
  const read = [...Object.keys(element?.fields ?? {}), ...(element?.children ? ['elements'] : [])]
  expect(Object.keys(fields).toSorted()).toEqual(read.toSorted())
  const required = Object.entries(fields).flatMap(([name, field]) => ('~optional' in field ? [] : [name]))
  expect(required.toSorted()).toEqual([...(element?.required ?? [])].toSorted())
})
