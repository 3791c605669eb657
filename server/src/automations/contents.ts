/** Words that stand in the steps of an automation: what is wrong with them is said before it starts. */
import { invalidRequest } from '../base/errors.ts'
import { isObject, type JsonObject } from '../base/merge.ts'
import { inlineNotification } from '../pipeline/inline.ts'
import { ContentInvalid } from '../templates/failure.ts'
import { referencesIn } from './values.ts'

/** Of an automation that was read. Throws a 400 that names the place; content that holds references is looked at when it is sent. */
export async function checkContents({ steps }: JsonObject, at = 'automation'): Promise<void> {
  for (const [index, step] of (Array.isArray(steps) ? steps : []).entries()) {
    const message = isObject(step) && step.action === 'send' ? step.message : undefined
    const content = isObject(message) ? message.content : undefined
    if (isObject(content) && referencesIn(content).length === 0)
      await checkContent(content, `${at}.steps[${index}].message.content`)
  }
}

async function checkContent(content: JsonObject, at: string): Promise<void> {
  try {
    await inlineNotification(content)
  } catch (error) {
    if (error instanceof ContentInvalid) throw invalidRequest(`${at}: ${error.message}`, error)
    throw error
  }
}
