/** Warnings about a send, each where the form has its cause. */

export interface Misspelled {
  name: string
  meant: string
}

/** The form has no `message.to`: its keys are values of the profile. */
const MISSPELLED = /^Unknown field `(.+)` at message\.to\. Did you mean `(.+)`\?$/su

export function sortWarnings(warnings: readonly string[]): { misspelled: Misspelled[]; others: string[] } {
  const misspelled: Misspelled[] = []
  const others: string[] = []
  for (const warning of warnings) {
    const [, name, meant] = MISSPELLED.exec(warning) ?? []
    if (name !== undefined && meant !== undefined) misspelled.push({ name, meant })
    else others.push(warning)
  }
  return { misspelled, others }
}
