/** The page about errors, `docs/errors.md`: one entry for each code, and how to use the fields of an error. */
import { type ErrorCode, errorCodes } from '../api/error-codes.ts'

export function errorsReference(): string {
  const codes = Object.keys(errorCodes) as ErrorCode[]
  const statuses = [...new Set(codes.map((code) => errorCodes[code].status))]
  const table = statuses.map((status) => {
    const ofStatus = codes.filter((code) => errorCodes[code].status === status)
    return `| ${status} | ${ofStatus.map((code) => `[\`${code}\`](#${code})`).join(' · ')} |`
  })
  return `${[intro, ['| Status | Codes |', '|---|---|', ...table].join('\n'), ...codes.map(entry)].join('\n\n')}\n`
}

const intro = `# Errors

Generated from the contract (\`npm run generate\`). An error of the API is JSON:

\`\`\`json
{
  "message": "message.to.3.email must be a string",
  "type": "invalid_request_error",
  "code": "invalid_field",
  "param": "message.to.3.email",
  "doc": "http://127.0.0.1:4600/docs/errors#invalid_field"
}
\`\`\`

| Field | Use |
|---|---|
| \`code\` | Branch on it in code. Later versions keep every code, and can add others: treat an unknown code by its status. |
| \`param\` | The faulty input where it is known: a path in the body, or the name of a parameter of the path or query, or of a header. |
| \`message\` | Show it to people. Its wording can change. |
| \`type\` | The category, with the words of Courier's API; several codes share one. |
| \`doc\` | The entry of the code on this page. |

These headers can come with an error:

| Header | Use |
|---|---|
| \`x-request-id\` | The id of the request. Search for it in the log of the server. An \`internal_error\` is always logged, another call only at the level \`debug\`. |
| \`Retry-After\` | The seconds to wait before you repeat the call. |
| \`x-should-retry: false\` | It is of no use to repeat the call. |

An error that is not JSON most often comes from a proxy in front of the server. A recipient who opens a link of a message gets a page instead of JSON.`

function entry(code: ErrorCode): string {
  const { status, type, meaning, action } = errorCodes[code]
  return `## \`${code}\`\n\n${status} · \`${type}\`\n\n${meaning} ${action}`
}
