/** Every step of an automation with its fields, as one Markdown page. */

import { automationSteps } from '../shapes/automation-steps.ts'
import { type PlainSchema, plainSchema } from './plain-schema.ts'
import { fields, shapePages } from './reference.ts'

const intro = `# Steps of automations

Generated from the contract (\`npm run generate\`). How they are put together is in the [guide](../guides/automations.md).

Every step has an \`action\`, and may have an \`if\` (skipped unless it is true) and a \`ref\` (a name for what it leaves behind). Any value of the other fields may hold [references](../guides/automations.md#what-a-step-can-see) that are filled in when the step is taken.`

export function stepsReference(): string {
  const shapes = new Map<string, PlainSchema>()
  const pages = Object.entries(automationSteps).map(([action, schema]) => {
    const plain = plainSchema(schema)
    return [`## ${action}`, plain.description ?? '', fields('Field', plain, shapes)].join('\n\n')
  })
  return `${[intro, ...pages, shapePages(shapes)].join('\n\n')}\n`
}
