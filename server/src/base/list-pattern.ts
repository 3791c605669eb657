/** List ids, and the patterns that name many lists at once: which are valid, and what a pattern matches. */
import { invalidRequest } from './errors.ts'

export interface ListPattern {
  /** False: it names one list, the one in `prefix`. */
  wild: boolean
  /** The prefix of every match: the parts before the first wildcard, with their dot. */
  prefix: string
  /** Matches the ids; JavaScript and PostgreSQL read it alike. */
  expression: string
}

/** As the public API bounds them. */
const PARTS_MAX = 4

const invalidList = (rule: string, field: string) => invalidRequest(rule, { code: 'invalid_field', param: field })

/** Throws a 400 unless it is 1 to 4 parts between dots, none of them empty, without `*`, `#` and whitespace. */
export function checkListId(id: string, field = 'list_id'): void {
  if (partsOf(id) === undefined || id.includes('*'))
    throw invalidList('A list id has 1 to 4 parts between dots, none empty, without whitespace, # and *', field)
}

/** `*` stands for one part, `**` at the end for one or more. Throws a 400. */
export function parseListPattern(text: string, field = 'pattern'): ListPattern {
  const parts = partsOf(text)
  if (!parts)
    throw invalidList('A list pattern has 1 to 4 parts between dots, none empty, without whitespace and #', field)
  for (const [index, part] of parts.entries()) {
    if (part.includes('*') && part !== '*' && part !== '**')
      throw invalidList('In a list pattern * and ** stand for whole parts', field)
    const before = parts[index - 1]
    if (part === '**' && (index < parts.length - 1 || before === undefined || before === '*'))
      throw invalidList('In a list pattern ** is the last part and follows one that is not *', field)
  }
  const first = parts.findIndex((part) => part.startsWith('*'))
  const named = first < 0 ? parts : parts.slice(0, first)
  return {
    wild: first >= 0,
    prefix: first > 0 ? `${named.join('.')}.` : named.join('.'),
    expression: `^${parts.map(expressionOf).join('\\.')}$`,
  }
}

/** Undefined when no id and no pattern has such parts. */
function partsOf(text: string): string[] | undefined {
  const parts = text.split('.', PARTS_MAX + 1)
  return parts.length > PARTS_MAX || parts.includes('') || /[\s#]/.test(text) ? undefined : parts
}

function expressionOf(part: string): string {
  if (part === '**') return '.+'
  return part === '*' ? '[^.]+' : part.replaceAll(/[+?^${}()|[\]\\]/g, '\\$&')
}
