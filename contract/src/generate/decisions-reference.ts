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

This page lists the codes with which Postrider explains its decisions. It is generated from the contract (\`npm run generate\`).

\`GET /messages/:message_id/explain\`, \`POST /explain\` and simulations return a decision as a list of \`steps\`. This is one of them:

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
| \`code\` | The result of the step. Branch on it in your code, or translate by it. Existing codes never change; new versions can add codes. |
| \`params\` | The values that belong to the code. The tables below list them. |
| \`notes\` | More results of the same step. Absent when there are none. |
| \`summary\`, \`text\` | The result in English sentences. Show them when you do not know a code. Their wording can change. |
| \`facts\` | The values that the step used. |

Each code below can be the \`code\` of its step or the \`code\` of a note. A param is always present unless it is marked as optional.

A key with the role \`viewer\` gets \`summary\`, \`text\` and personal values in \`params\` masked.`

function row(code: DecisionCode): string {
  const { meaning, params, ...rest } = decisionCodes[code]
  const optional: readonly string[] = 'optional' in rest ? rest.optional : []
  const names = [...params.map((name) => `\`${name}\``), ...optional.map((name) => `\`${name}\` (optional)`)]
  return `| \`${code}\` | ${meaning} | ${names.join(', ')} |`
}
