/** Content that came with a send, as the notification it stands for; compiled once however many messages share it. */
import type { JsonObject } from '../base/json/json.ts'
import { compile } from '../templates/compile.ts'
import type { Notification } from './facts.ts'

const compiled = new WeakMap<JsonObject, Notification>()

/** Throws `ContentInvalid`. */
export function inlineNotification(content: JsonObject): Notification {
  const known = compiled.get(content)
  if (known) return known
  const made = make(content)
  compiled.set(content, made)
  return made
}

function make(content: JsonObject): Notification {
  return {
    id: '',
    version: 0,
    name: '',
    template: compile(content),
    routing: undefined,
    condition: undefined,
    brandId: undefined,
    atMostOnce: false,
    failOnMissing: false,
  }
}
