/** Promises of the declaration: it is TypeScript whatever templates and variables are called. */
import { expect, test } from 'vitest'
import { declarationOf } from './declaration.ts'

test('names, titles and keys of any characters end no comment and no string', () => {
  const variables = [
    { path: ["it's"], kind: 'text' as const, required: true },
    { path: ['tags'], kind: 'list' as const, required: false },
    { path: ['tags', '[]'], kind: 'any' as const, required: true },
  ]
  const text = declarationOf([
    { name: "'; evil()\n\u2028//\\", title: 'a */ evil() /*\nb', variables, isOpen: true },
    { name: 'empty', title: 'Empty', variables: [], isOpen: false },
  ])
  expect(text).toContain(`    /** a * / evil() /* b */
    '\\'; evil()\\n\\u2028//\\\\': {
      'it\\'s': TemplateValue
      tags?: ReadonlyArray<unknown> | undefined
      [variable: string]: unknown
    }
    /** Empty */
    empty: Record<string, never>`)
})
