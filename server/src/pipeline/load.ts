/** Everything a batch of messages needs to be decided: one query per kind, whatever its size. */
import type { Engine } from '../database/engine.ts'
import { storedProfiles } from '../database/tables/facts.ts'
import type { Windows } from '../queue/retry.ts'
import { type Asked, type Catalogue, eventKey } from './catalogue.ts'
import type { Question } from './decide/deciding.ts'
import type { Integration, Mapping } from './facts.ts'
import { inlineNotification } from './inline.ts'
import type { Pinned } from './job.ts'
import type { Mode, SendInput } from './message.ts'

/** What loading needs to know of a message. */
export interface Subject {
  message: { id: string; workspace_id: number; mode: string; first_due: number; recipient: string }
  input: SendInput
  pinned: Pinned | undefined
}

export interface LoadOptions {
  engine: Engine
  catalogue: Catalogue
  windows: Windows
  workspaceName(id: number): string
  now(): number
}

/** In the order of the subjects. */
export async function load(subjects: readonly Subject[], options: LoadOptions): Promise<Question[]> {
  const { catalogue, engine, windows, workspaceName, now } = options
  const fresh = subjects.filter(({ pinned }) => !pinned)
  const asked = fresh.filter(({ input }) => !input.content).map(askedOf)
  const workspaces = [...new Set(subjects.map(({ message }) => message.workspace_id))]
  const [mappings, profiles, ...integrations] = await Promise.all([
    asked.length > 0 ? catalogue.mappings(asked) : new Map<string, Mapping>(),
    fresh.length > 0 ? profilesOf(engine, fresh) : new Map(),
    ...workspaces.map((id) => catalogue.integrations(id)),
  ])
  const integrationsOf = new Map<number, readonly Integration[]>(
    workspaces.map((id, index) => [id, integrations[index] ?? []]),
  )
  const fixed = await Promise.all(subjects.map((subject) => fixedMapping(catalogue, subject)))
  const time = now()
  return subjects.map((subject, index): Question => {
    const { message, input } = subject
    return {
      messageId: message.id,
      workspace: workspaceName(message.workspace_id),
      mode: message.mode as Mode,
      input,
      firstDue: subject.pinned?.released ?? (input.openingHours ? time : message.first_due),
      now: time,
      facts: {
        mapping: fixed[index] ?? (subject.pinned ? undefined : mappings.get(eventKey(askedOf(subject)))),
        storedProfile: subject.pinned
          ? subject.pinned.profile
          : profiles.get(`${message.workspace_id} ${message.recipient}`),
        integrations: integrationsOf.get(message.workspace_id) ?? [],
        windows,
      },
    }
  })
}

function askedOf({ message, input }: Subject): Asked {
  return { workspaceId: message.workspace_id, event: input.template ?? input.event, mode: message.mode as Mode }
}

async function profilesOf(engine: Engine, subjects: readonly Subject[]) {
  const rows = await storedProfiles(
    engine,
    subjects.map(({ message }) => message),
  )
  return new Map(rows.map((row) => [`${row.workspace_id} ${row.id}`, row.profile]))
}

/** What no change of the configuration can move: inline content, and what an earlier decision pinned. */
async function fixedMapping(catalogue: Catalogue, { message, input, pinned }: Subject): Promise<Mapping | undefined> {
  if (input.content) return { notificationId: '', notification: await inlineNotification(input.content) }
  if (!pinned?.notification) return undefined
  const { id, version } = pinned.notification
  const notification = version === undefined ? undefined : await catalogue.version(message.workspace_id, id, version)
  return { notificationId: id, ...(notification && { notification }) }
}
