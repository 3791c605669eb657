/** The contract's schemas as checks, compiled when first used; what does not fit becomes one clear sentence. */
import { momentPattern } from '@postrider/contract'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/schema'
import { invalidRequest } from './errors.ts'
import { readLiberally } from './read-liberally.ts'

export type Check = (value: unknown) => void

interface Issue {
  keyword: string
  schemaPath: string
  instancePath: string
  message: string
  params: Record<string, unknown>
}

/** `root` names the whole value in texts: `body`. The check throws a 400 for what does not fit. */
export function compileCheck(schema: TSchema, root: string): Check {
  const validator = lazily(schema)
  return (value) => {
    if (!validator().Check(value)) throw faultOf(validator(), value, root)
  }
}

/** Gives the value as it fits the schema: read liberally when it does not fit as it was sent. Throws a 400. */
export function compileLiberalCheck(schema: TSchema, root: string): (value: unknown) => unknown {
  const validator = lazily(schema)
  return (value) => {
    if (validator().Check(value)) return value
    const read = readLiberally(schema, value)
    if (!validator().Check(read)) throw faultOf(validator(), read, root)
    return read
  }
}

/** A process uses few of them; compiling all of them is a tenth of what a start costs. */
function lazily(schema: TSchema): () => Validator {
  let validator: Validator | undefined
  return () => {
    validator ??= Compile(schema)
    return validator
  }
}

const faultOf = (validator: Validator, value: unknown, root: string) =>
  invalidRequest(explain(validator.Errors(value)[1] as unknown as Issue[], root))

/** The first fault; where several schemas would do, what each of them asks for, or the one that it says it is. */
function explain(all: Issue[], root: string): string {
  const kinds = all.filter(({ keyword, schemaPath }) => keyword === 'const' && KIND.test(schemaPath))
  const others = kinds.map(({ schemaPath }) => KIND.exec(schemaPath)?.[1] ?? '')
  const issues = all.filter(({ schemaPath }) => !others.some((other) => isWithin(schemaPath, other)))
  const unknown = kinds.find(({ schemaPath }) => {
    const union = KIND.exec(schemaPath)?.[2] ?? ''
    return !issues.some((issue) => isWithin(issue.schemaPath, `${union}/anyOf`) && issue.params.type !== 'null')
  })
  if (unknown) {
    const values = kinds.filter(({ instancePath }) => instancePath === unknown.instancePath)
    return `${placeOf(unknown)} must be ${values.map(({ params }) => params.allowedValue).join(' or ')}`
  }
  const first = issues.find(({ keyword }) => keyword !== 'anyOf')
  if (!first) return `${root} does not fit the schema`
  const place = placeOf(first)
  const here = issues.filter(({ keyword, instancePath }) => keyword !== 'anyOf' && instancePath === first.instancePath)
  const missing = here.filter(({ keyword }) => keyword === 'required').map((issue) => requirement(issue, place))
  if (missing.length > 0)
    return `${missing.join(' or ')} ${missing.length > 1 || missing[0]?.includes(',') ? 'are' : 'is'} required`
  const rule = here.find(({ keyword }) => keyword !== 'type')
  return `${place || root} ${rule ? ruleText(rule) : typeText(here)}`
}

const placeOf = ({ instancePath }: Issue) => instancePath.slice(1).replaceAll('/', '.')

/** A field that says which of several schemas is meant: the schema, and the place of all of them. */
const KIND = /^((.*)\/anyOf\/\d+)\/properties\/[^/]+$/

const isWithin = (path: string, other: string) => path === other || path.startsWith(`${other}/`)

function requirement({ params }: Issue, place: string): string {
  const names = Array.isArray(params.requiredProperties) ? params.requiredProperties : []
  return names.map((name) => (place ? `${place}.${name}` : String(name))).join(', ')
}

/** A pattern of digits. */
const DIGITS = /^\^(?:\[[01]-9\](?:\{\d,\d\})?)+\$$/

function ruleText({ keyword, message, params }: Issue): string {
  if (keyword === 'enum' && Array.isArray(params.allowedValues))
    return `must be one of ${params.allowedValues.join(', ')}`
  if (keyword === 'const') return `must be ${JSON.stringify(params.allowedValue)}`
  // Of a field that the schema does not allow.
  if (keyword === 'boolean') return 'is not known here'
  if (keyword === 'pattern' && params.pattern === momentPattern)
    return 'must be a moment: ISO 8601, or milliseconds since the Unix epoch'
  if (keyword === 'pattern' && DIGITS.test(String(params.pattern))) return 'must be a whole number'
  return message.replace(/^must not /, 'must NOT ')
}

function typeText(issues: Issue[]): string {
  const types = issues.flatMap(({ params }) => params.type).filter((type) => type !== 'null')
  return `must be ${[...new Set(types)].join(' or ')}`
}
