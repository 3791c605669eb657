/** Automation templates as definitions: named by their ids, and in force as soon as they are written. */
import {
  type AutomationTemplate,
  type AutomationTemplateInput,
  isPostriderError,
  type Postrider,
} from '@postrider/client'
import { Failure } from '../failure.ts'
import { type DefinitionKind, type Document, inParallel, isObject, type ServerDefinition } from './definition.ts'
import type { PushOptions } from './push-plan.ts'

function serverDefinition(shown: AutomationTemplate): ServerDefinition {
  const { id, name, alias, triggers, automation, version } = shown
  return { id, name: id, version, document: complete({ name, alias, triggers, automation }, id) }
}

/** As the server stores it. */
function complete({ name, alias, triggers, ...rest }: Document, id: string): Document {
  const all = Array.isArray(triggers) ? triggers.map(completeTrigger) : (triggers ?? [])
  return { ...rest, name: name ?? id, alias: alias ?? null, triggers: all }
}

const completeTrigger = (trigger: unknown) =>
  isObject(trigger) && trigger.type === 'schedule' ? { ...trigger, timezone: trigger.timezone ?? 'UTC' } : trigger

function brief({ name, alias, triggers, ...rest }: Document, id: string): Document {
  const hasTriggers = !Array.isArray(triggers) || triggers.length > 0
  return { ...rest, ...(name !== id && { name }), ...(alias !== null && { alias }), ...(hasTriggers && { triggers }) }
}

async function templateOf({ automations }: Postrider, name: string): Promise<ServerDefinition | undefined> {
  try {
    const definition = serverDefinition(await automations.template(name))
    // It is found by its alias as well, which names no file.
    return definition.id === name ? definition : undefined
  } catch (error) {
    if (isPostriderError(error, 'not_found')) return undefined
    throw error
  }
}

const bodyOf = (document: Document) => document as unknown as AutomationTemplateInput

export const automations: DefinitionKind<PushOptions> = {
  noun: 'automation',
  plural: 'automations',
  folder: 'automations',
  fields: ['name', 'alias', 'triggers', 'automation'],
  complete,
  brief,
  async readAll(client, progress) {
    const ids: string[] = []
    for await (const { id } of client.automations.templates({ limit: 100 })) ids.push(id)
    const definitions = await inParallel(ids, (id) => templateOf(client, id), progress)
    return definitions.flatMap((each) => each ?? [])
  },
  readOne: templateOf,
  async check({ automations }, { name, document }) {
    const { warnings } = await automations.inspect({ ...bodyOf(document), id: name })
    if (typeof document.alias !== 'string') return warnings
    const other = await automations.template(document.alias).catch((error: unknown) => {
      if (isPostriderError(error, 'not_found')) return undefined
      throw error
    })
    if (other && other.id !== name) throw new Failure(`alias: \`${document.alias}\` leads to \`${other.id}\` already`)
    return warnings
  },
  async write({ automations }, { name, document }, server) {
    const condition = server ? { ifMatch: server.version } : { ifAbsent: true }
    return serverDefinition(await automations.putTemplate(name, bodyOf(document), condition)).document
  },
  remove: ({ automations }, id) => automations.deleteTemplate(id),
}
