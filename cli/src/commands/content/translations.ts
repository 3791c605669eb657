/** `postrider translations …`: gettext catalogs that templates are translated by, as files under version control. */
import type { Command } from 'commander'
import { addFolderCommands } from '../../definitions/commands.ts'
import { translations as kind } from '../../definitions/translation-kind.ts'
import { addResourceCommands } from '../../operations/resource.ts'
import { recordText } from '../../operations/text.ts'
import { plain } from '../../plain.ts'
import { withReach } from '../../reach.ts'
import { sessionOf } from '../../session.ts'

export function addTranslations(program: Command): void {
  const translations = program
    .command('translations')
    .description('Translations (gettext catalogs by locale): list, pull into files, push from files.')
  addResourceCommands(translations, [
    { name: 'list', operation: 'translations.list', columns: ['locale', 'characters', 'updated'], examples: ['list'] },
  ])
  addShow(translations)
  addDelete(translations)
  addFolderCommands(translations, kind, { publishes: false })
}

function addShow(translations: Command): void {
  translations
    .command('show')
    .description('Show the catalog of a locale.')
    .argument('<locale>', 'locale, such as de or pt-BR; default for every locale')
    .addHelpText(
      'after',
      `
Example:
  $ postrider translations show de`,
    )
    .action(async (locale: string, _options: unknown, command: Command) => {
      const session = sessionOf(command)
      const content = await withReach(session, ({ client }) => client.translations.get('default', locale))
      session.terminal.answer({ locale, content }, () => recordText(content))
    })
}

function addDelete(translations: Command): void {
  translations
    .command('delete')
    .description('Delete the catalog of a locale.')
    .argument('<locale>', 'locale, such as de or pt-BR')
    .addHelpText(
      'after',
      `
Example:
  $ postrider translations delete de`,
    )
    .action(async (locale: string, _options: unknown, command: Command) => {
      const session = sessionOf(command)
      await withReach(session, ({ client }) => client.translations.delete('default', locale))
      session.terminal.answer({ locale, deleted: true }, () => `Deleted ${plain(locale)}.`)
    })
}
