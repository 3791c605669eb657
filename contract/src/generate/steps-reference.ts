/** Every step of an automation with its fields as one Markdown page, and as a table. */

import { automationSteps } from '../steps.ts'
import { type PlainSchema, plainSchema } from './plain-schema.ts'
import { fields, shapePages } from './reference.ts'

const intro = `# Steps of automations

Generated from the contract (\`npm run generate\`). The [guide](../guides/automations.md) describes how to combine them.

Every step has an \`action\`, and can have an \`if\` (the step is skipped unless it is true) and a \`ref\` (a name for its result). Values of the other fields can contain [references](../guides/automations.md#data-of-a-step), which are resolved when the step is executed.`

export function stepsReference(): string {
  const shapes = new Map<string, PlainSchema>()
  const pages = Object.entries(automationSteps).map(([action, step]) => {
    const plain = plainSchema(step.fields)
    const example = JSON.stringify({ action, ...step.example })
    return [
      `## ${action}`,
      plain.description ?? '',
      fields('Field', plain, shapes),
      `\`\`\`json\n${example}\n\`\`\``,
    ].join('\n\n')
  })
  return `${[intro, ...pages, shapePages(shapes)].join('\n\n')}\n`
}

/** Every step with its description, for the guide. */
export function stepsTable(): string {
  const rows = Object.entries(automationSteps).map(([action, { fields: schema }]) => {
    const { description = '' } = plainSchema(schema)
    return `| [\`${action}\`](../reference/steps.md#${action}) | ${description.replaceAll('|', '\\|')} |`
  })
  return ['| Step | Effect |', '|---|---|', ...rows].join('\n')
}
