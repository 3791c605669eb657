/** `postrider automations …`: automation templates, as files under version control, and their runs. */
import type { ShortAutomationTemplate } from '@postrider/client'
import type { Command } from 'commander'
import { automations as kind } from '../../definitions/automation-kind.ts'
import { addFolderCommands } from '../../definitions/commands.ts'
import { existing } from '../../failure.ts'
import { addResourceCommands, type ResourceCommand } from '../../operations/resource.ts'
import { plain, plainJson } from '../../plain.ts'
import { runningClientOf, sessionOf } from '../../session.ts'
import { table } from '../../table.ts'
import { addInvoke } from './automations/invoke.ts'

export function addAutomations(program: Command): void {
  const automations = program
    .command('automations')
    .description('Automation templates: list, pull into files, push from files, and run.')
  addList(automations)
  addShow(automations)
  addFolderCommands(automations, kind, { publishes: false })
  addInvoke(automations)
  addResourceCommands(automations, runs)
}

const runs: readonly ResourceCommand[] = [
  {
    name: 'runs',
    operation: 'automations.runs',
    columns: ['created_at', 'run_id', 'status', 'template_id'],
    examples: ['runs', 'runs --template-id onboarding --status ERROR'],
  },
  { name: 'run', operation: 'automations.run', examples: ['run "$RUN"'] },
  {
    name: 'steps',
    operation: 'automations.steps',
    columns: ['action', 'ref', 'status', 'message_id', 'reason', 'error'],
    examples: ['steps "$RUN"', `steps "$RUN" --json | jq '.results[].result'`],
  },
  {
    name: 'cancel',
    operation: 'automations.cancelRun',
    done: 'Canceled {run}',
    examples: ['cancel "$RUN"'],
  },
]

function addList(automations: Command): void {
  automations
    .command('list')
    .description('List the automation templates of the server.')
    .addHelpText(
      'after',
      `
Example:
  $ postrider automations list`,
    )
    .action(async (_options: unknown, command: Command) => {
      const session = sessionOf(command)
      const client = await runningClientOf(session)
      const results: ShortAutomationTemplate[] = []
      for await (const template of client.automations.templates({ limit: 100 })) results.push(template)
      session.terminal.answer({ results }, () => {
        if (results.length === 0) return 'No automations.'
        const columns = ['ID', 'NAME', 'CHANGED'].map((title) => ({ title, charactersMax: 60 }))
        return table(
          columns,
          results.map(({ id, name, updatedAt }) => [id, name, updatedAt]),
        )
      })
    })
}

function addShow(automations: Command): void {
  automations
    .command('show')
    .description('Show a stored automation template.')
    .argument('<name>', 'id or alias of the automation template')
    .addHelpText(
      'after',
      `
Example:
  $ postrider automations show onboarding`,
    )
    .action(async (name: string, _options: unknown, command: Command) => {
      const session = sessionOf(command)
      const { automations } = await runningClientOf(session)
      const hint = 'To see all automation templates: postrider automations list'
      const shown = await existing(automations.template(name), 'automation template', name, hint)
      session.terminal.answer(shown, () => {
        const { automation, triggers, ...rest } = shown
        const heads = Object.entries(rest).map(([field, value]) => `${field}: ${plain(value)}`)
        const starts = triggers ? [`triggers: ${plainJson(triggers, 2)}`] : []
        return [...heads, ...starts, `automation: ${plainJson(automation, 2)}`].join('\n')
      })
    })
}
