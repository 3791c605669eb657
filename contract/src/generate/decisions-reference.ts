/** The page about the steps of a decision, `docs/decisions.md`: each code of a step, with its params. */
import {
  type DecisionCode,
  decisionCodeNames,
  decisionCodes,
  decisionParams,
  decisionSteps,
} from '../shapes/decision-codes.ts'
import { plainSchema } from './plain-schema.ts'

export function decisionsReference(): string {
  const sections = decisionSteps.map((step) => {
    const ofStep = decisionCodeNames.filter((code) => decisionCodes[code].step === step)
    return [`## \`${step}\``, ['| Code | Meaning | Params |', '|---|---|---|', ...ofStep.map(row)].join('\n')].join(
      '\n\n',
    )
  })
  const params = Object.entries(decisionParams).map(
    ([name, schema]) => `| \`${name}\` | ${plainSchema(schema).description} |`,
  )
  return `${[intro, ...sections, '## Params', ['| Param | Meaning |', '|---|---|', ...params].join('\n')].join('\n\n')}\n`
}

const intro = `# Decisions

Generated from the contract (\`npm run generate\`). \`GET /messages/:message_id/explain\`, \`POST /explain\` and simulations describe a decision as \`steps\`:

\`\`\`json
{
  "step": "route",
  "outcome": "passed",
  "code": "routed",
  "params": {
    "method": "single",
    "integrations": [{ "channel": "email", "provider": "smtp", "title": "Mail A", "devices": 0, "fallback": false }]
  },
  "notes": [
    {
      "code": "route_name_unknown",
      "params": { "name": "emial", "suggestion": "email" },
      "text": "\`emial\` is neither a channel nor a provider with an integration. Did you mean \`email\`?"
    }
  ],
  "summary": "It goes by email (Mail A). \`emial\` is neither a channel nor a provider with an integration. Did you mean \`email\`?",
  "facts": { "method": "single", "channels": ["email", "emial"], "unknown": ["emial"] }
}
\`\`\`

| Field | Use |
|---|---|
| \`code\` | Branch on it, or translate by it. A code does not change in later versions, which can have further codes. |
| \`params\` | The values of the sentence. Those in the tables are always present, unless they are marked as optional. |
| \`notes\` | Further results of the step, each with a code of the same step. Absent when there are none. |
| \`summary\`, \`text\` | The sentences in English: show them for an unknown code. Their wording can change. |

A code can be the result of its step or one of its notes. For keys of the role \`viewer\`, \`summary\` and \`text\` are masked, and so is each text in \`params\` that can be about a recipient.`

function row(code: DecisionCode): string {
  const { meaning, params, ...rest } = decisionCodes[code]
  const optional: readonly string[] = 'optional' in rest ? rest.optional : []
  const names = [...params.map((name) => `\`${name}\``), ...optional.map((name) => `\`${name}\` (optional)`)]
  return `| \`${code}\` | ${meaning} | ${names.join(', ')} |`
}
