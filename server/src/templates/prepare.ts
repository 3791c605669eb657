/** A template ready to be rendered for every channel, mail included. */
import { compile } from './compile.ts'
import { loadFragments } from './fragments.ts'
import type { Template } from './template.ts'

/** Throws `ContentInvalid`. After the first call in a process nothing is waited for: brands and styles fill slots. */
export async function prepare(content: unknown): Promise<Template> {
  const template = compile(content)
  await loadFragments()
  return template
}
