/** Every command says how it is used. */
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { programOf } from './program.ts'

const leaves = (command: Command, path: string[] = []): [string, Command][] =>
  command.commands.length === 0
    ? [[path.join(' '), command]]
    : command.commands.flatMap((command) => leaves(command, [...path, command.name()]))

/** With the text that is added behind it, as \`--help\` shows it. */
function helpOf(command: Command): string {
  let shown = ''
  command.configureOutput({ writeOut: (text) => void (shown += text) }).outputHelp()
  return shown
}

test.each([['', programOf()] as [string, Command], ...leaves(programOf())])(
  'postrider %s has an example in its help',
  (path, command) => {
    const help = helpOf(command)
    expect(help).toMatch(/Examples?:\n {2}\$ /)
    for (const line of help.split('\n').filter((text) => text.startsWith('  $ ')))
      if (path !== '' && line.startsWith('  $ postrider')) expect(line).toContain(`postrider ${path.split(' ')[0]}`)
  },
)

test.each(leaves(programOf()))('postrider %s is described in sentences, and so are its options', (_path, command) => {
  expect(command.description()).toMatch(/^[A-Z].*\.$/)
  for (const { description } of command.options) expect(description).not.toBe('')
})

test.each(leaves(programOf()))('the help of postrider %s is in plain technical English', (_path, command) => {
  expect(helpOf(command)).not.toMatch(/\b(?:persons?|people|what|taken away|anything but)\b/i)
  const descriptions = [...command.options, ...command.registeredArguments].map(({ description }) => description)
  for (const description of descriptions)
    expect(description).not.toMatch(/^(?:an? |the |its |what |where |of |that |[A-Z][a-z]+ .*\.$)/)
})

test('a command that replaces a record says which fields it keeps', () => {
  const help = (path: string) =>
    leaves(programOf())
      .find(([name]) => name === path)?.[1]
      .description()
  expect(help('brands set')).toContain('Settings and snippets that are not given are kept.')
  expect(help('tenants set')).toContain('Fields that are not given are removed.')
})
