/** Content that came with a send, as the notification it stands for; compiled once however many messages share it. */
import type { JsonObject } from '../base/merge.ts'
import { prepare } from '../templates/prepare.ts'
import type { Notification } from './facts.ts'

const prepared = new WeakMap<JsonObject, Promise<Notification>>()

/** The answer throws `ContentInvalid`. */
export function inlineNotification(content: JsonObject): Promise<Notification> {
  const known = prepared.get(content)
  if (known) return known
  const made = make(content)
  prepared.set(content, made)
  return made
}

async function make(content: JsonObject): Promise<Notification> {
  return {
    id: '',
    version: 0,
    name: '',
    template: await prepare(content),
    routing: undefined,
    condition: undefined,
    brandId: undefined,
    atMostOnce: false,
    failOnMissing: false,
  }
}
