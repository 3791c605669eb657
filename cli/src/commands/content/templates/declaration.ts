/** The TypeScript declaration of templates and their variables, which `send` of the client is checked against. */
import type { TemplateVariable } from '@postrider/client'
import { plain } from '../../../plain.ts'

export interface TypedTemplate {
  /** An alias, an id, or an event that is mapped to it. */
  name: string
  /** Its name for people. */
  title: string
  variables: readonly TemplateVariable[]
  /** It mentions snippets of the brand, which may read further variables. */
  isOpen: boolean
}

export function declarationOf(templates: readonly TypedTemplate[]): string {
  const sorted = templates.toSorted((left, right) => (left.name < right.name ? -1 : 1))
  return `/** The templates of a Postrider server and their variables, written by \`postrider templates types\`. Do not edit. */
import type { TemplateValue } from '@postrider/client'

declare module '@postrider/client' {
  interface Templates {
${sorted.map(templateLines).join('\n')}
  }
}

export type { TemplateValue }
`
}

function templateLines({ name, title, variables, isOpen }: TypedTemplate): string {
  const fields = fieldsOf(treeOf(variables), 3)
  const more = isOpen ? ['      [variable: string]: unknown'] : []
  const lines = [...fields, ...more]
  const type = lines.length === 0 ? 'Record<string, never>' : `{\n${lines.join('\n')}\n    }`
  return `    /** ${plain(title).replaceAll('*/', '* /')} */\n    ${keyOf(name)}: ${type}`
}

interface Value extends TemplateVariable {
  keys: Map<string, Value>
}

function treeOf(variables: readonly TemplateVariable[]): Map<string, Value> {
  const root = new Map<string, Value>()
  for (const variable of variables) {
    const inner = variable.path.slice(0, -1)
    // A variable comes after the ones that it stands in.
    const around = inner.reduce<Map<string, Value> | undefined>((keys, key) => keys?.get(key)?.keys, root)
    around?.set(variable.path.at(-1) ?? '', { ...variable, keys: new Map() })
  }
  return root
}

function fieldsOf(keys: ReadonlyMap<string, Value>, depth: number): string[] {
  return [...keys].map(([key, value]) => {
    const type = typeOf(value, depth)
    return `${'  '.repeat(depth)}${keyOf(key)}${value.required ? `: ${type}` : `?: ${type} | undefined`}`
  })
}

function typeOf({ kind, keys }: Value, depth: number): string {
  if (kind === 'text') return 'TemplateValue'
  if (kind === 'any') return 'unknown'
  const item = keys.get('[]')
  if (kind === 'list') return `ReadonlyArray<${item ? typeOf(item, depth) : 'unknown'}>`
  return `{\n${fieldsOf(keys, depth + 1).join('\n')}\n${'  '.repeat(depth)}}`
}

function keyOf(name: string): string {
  if (/^[A-Za-z_$][\w$]*$/.test(name)) return name
  // Escaped as JSON is, and what ends a line in a program.
  const inside = JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inside.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`
}
