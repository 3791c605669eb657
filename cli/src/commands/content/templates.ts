/** `postrider templates …`: templates (notifications), as files under version control, and the types of their variables. */
import type { NotificationSummary } from '@postrider/client'
import type { Command } from 'commander'
import { addFolderCommands } from '../../definitions/commands.ts'
import { templates as kind } from '../../definitions/template-kind.ts'
import { existing } from '../../failure.ts'
import { plain, plainJson, utcTime } from '../../plain.ts'
import { runningClientOf, sessionOf } from '../../session.ts'
import { table } from '../../table.ts'
import { addPreview } from './templates/preview.ts'
import { addTypes } from './templates/typescript.ts'

export function addTemplates(program: Command): void {
  const templates = program
    .command('templates')
    .description('Templates (notifications): list, preview, pull into files, push from files.')
  addList(templates)
  addShow(templates)
  addPreview(templates)
  addFolderCommands(templates, kind, { publishes: true })
  addTypes(templates)
}

function addList(templates: Command): void {
  templates
    .command('list')
    .description('List the templates of the server.')
    .addHelpText(
      'after',
      `
Example:
  $ postrider templates list`,
    )
    .action(async (_options: unknown, command: Command) => {
      const session = sessionOf(command)
      const client = await runningClientOf(session)
      const results: NotificationSummary[] = []
      for await (const summary of client.notifications.list({ limit: 100 })) results.push(summary)
      session.terminal.answer({ results }, () => {
        if (results.length === 0) return 'No templates.'
        const columns = ['NAME', 'TITLE', 'STATE', 'CHANGED'].map((title) => ({ title, charactersMax: 60 }))
        return table(
          columns,
          results.map(({ id, alias, name, state, updated_at }) => [alias ?? id, name, state, utcTime(updated_at)]),
        )
      })
    })
}

function addShow(templates: Command): void {
  templates
    .command('show')
    .description('Show a stored template.')
    .argument('<name>', 'alias or id of the template')
    .argument('[version]', 'draft, published or a version such as v3 (default: published, or the draft if unpublished)')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider templates show welcome
  $ postrider templates show welcome v3`,
    )
    .action(async (name: string, version: string | undefined, _options: unknown, command: Command) => {
      const session = sessionOf(command)
      const client = await runningClientOf(session)
      const shown = await existing(
        client.notifications.get(name, version === undefined ? {} : { version }),
        version === undefined ? 'template' : 'template or version',
        version === undefined ? name : `${name} ${version}`,
        'To see all templates: postrider templates list',
      )
      session.terminal.answer(shown, () => {
        const { content, ...rest } = shown
        const heads = Object.entries(rest).map(([field, value]) =>
          typeof value === 'object' ? `${field}: ${plainJson(value)}` : `${field}: ${plain(value)}`,
        )
        return [...heads, `content: ${plainJson(content, 2)}`].join('\n')
      })
    })
}
