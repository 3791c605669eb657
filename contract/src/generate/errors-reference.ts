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
| \`code\` | Branch on it in code. It does not change in later versions, which can have further codes: treat an unknown code by its status. |
| \`param\` | The faulty input where it is known: a path in the body, or the name of a parameter of the path or query, or of a header. |
| \`message\` | Show it to people. Its wording can change. |
| \`type\` | The category, with the words of Courier's API; several codes share one. |
| \`doc\` | The entry of the code on this page. |

The header \`x-request-id\` names the request in the log of the server, which always has a line of an \`internal_error\`, and of other calls at the level \`debug\`. \`Retry-After\` has the seconds to wait before the call is repeated, and \`x-should-retry: false\` says that repeating it is of no use. An error that is not such JSON most often comes from a proxy in front of the server, or is a page for a recipient who opened a link of a message.`

function entry(code: ErrorCode): string {
  const { status, type, meaning, action } = errorCodes[code]
  return `## \`${code}\`\n\n${status} · \`${type}\`\n\n${meaning} ${action}`
}
