/** Names with a word that begins with the search are above those that have it inside, and people are above bare ids. */
import { expect, test } from 'vitest'
import { type Found, inOrder } from './palette-order.ts'

const named = (to: string, ...names: string[]) => ({ to, label: names[0] ?? '', names })
const targets: Found = {
  screens: [
    named('/integrations', 'Integrations', 'Setup'),
    named('/audiences', 'Audiences', 'Recipients'),
    named('/start', 'Start'),
  ],
  names: [named('/templates/G', 'On the way: graph', 'G'), named('/lists/p', 'Paragraphs', 'p')],
  people: [{ to: '/users/grace', label: 'User Grace' }],
  ids: [
    { to: '/users/grace', label: 'User grace' },
    { to: '/templates/gra', label: 'Template gra' },
  ],
}
const order = (search: string) =>
  inOrder(search, targets).map((group) => [group.name, group.targets.map(({ to }) => to)])

test('a word that begins so, a person, a name that has it inside, an id', () => {
  expect(order('gra')).toEqual([
    ['names', ['/templates/G']],
    ['people', ['/users/grace']],
    ['inside', ['/integrations', '/lists/p']],
    ['ids', ['/templates/gra']],
  ])
})

test('several words, and the name of the area of a screen', () => {
  expect(order('on the w')[0]).toEqual(['names', ['/templates/G']])
  expect(order('recip')[0]).toEqual(['screens', ['/audiences']])
})

test('without a search every screen, and nothing else but people', () => {
  expect(inOrder('', { ...targets, people: [] })).toEqual([{ name: 'screens', targets: targets.screens }])
})
