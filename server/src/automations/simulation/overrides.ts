/** Data that the caller of a simulation supplies, which override stored data. */
import type { MessageStatus, SimulationBody } from '@postrider/contract'
import type { Failure, HttpReply, HttpRequest } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import type { Lists } from '../../recipients/sources.ts'
import type { StoredReader } from '../runs/stored-reader.ts'
import { byBytes } from './in-memory-data.ts'
import type { SimulationData } from './in-memory-store.ts'

export interface OverriddenData extends Omit<SimulationData, 'statusOf'> {
  /** The profile from the caller; undefined: none was supplied. */
  suppliedProfile(recipient: string): JsonObject | undefined
  /** The status from the caller, by the `ref` of the step or by the event; undefined: none was supplied. */
  suppliedStatus(ref: string | undefined, event: string): MessageStatus | undefined
  /** The list id if the list is the stored one: preferences of a stored list do not apply to an override. */
  storedList(listId: string | undefined): string | undefined
}

export function overridesOf(body: SimulationBody, storedReader: StoredReader, workspaceId: number): OverriddenData {
  const { profiles = {}, lists: ownLists = {}, statuses = {}, templates = {} } = body
  const lists = listsOver(ownLists as Record<string, string[]>, storedReader.lists(workspaceId))
  const suppliedProfile = (recipient: string) => ownProperty(profiles, recipient) as JsonObject | undefined
  return {
    lists,
    suppliedProfile,
    storedList: (listId) => (listId === undefined || Object.hasOwn(ownLists, listId) ? undefined : listId),
    profile: async (recipient, tenantId, written = suppliedProfile(recipient)) =>
      (await storedReader.profile(workspaceId, recipient, tenantId, written))?.profile,
    async template(name) {
      const automation = ownProperty(templates, name)
      return isObject(automation) ? { id: name, automation } : storedReader.template(workspaceId, name)
    },
    digestOptOut: (topicId, recipient, now) => storedReader.digestOptOut({ workspaceId, topicId, recipient }, now),
    digestProblem: (topicId, data) => storedReader.digestProblem(workspaceId, topicId, data),
    sendRequest: async (request) => answerOf(request, body),
    suppliedStatus: (ref, event) =>
      ((ref === undefined ? undefined : ownProperty(statuses, ref)) ?? ownProperty(statuses, event)) as
        | MessageStatus
        | undefined,
  }
}

function ownProperty<Value>(map: Record<string, Value>, name: string): Value | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined
}

function listsOver(overrides: Readonly<Record<string, readonly string[]>>, storedLists: Lists): Lists {
  return {
    async matching(pattern, from, limit) {
      const expression = new RegExp(pattern.expression)
      const overridingIds = Object.keys(overrides).filter((id) => expression.test(id) && byBytes(id, from) >= 0)
      const matches = await storedLists.matching(pattern, from, limit)
      return [...new Set([...overridingIds, ...matches])].sort(byBytes).slice(0, limit)
    },
    async recipients(ids, after, limit) {
      const others = ids.filter((id) => !Object.hasOwn(overrides, id))
      const rows = others.length > 0 ? await storedLists.recipients(others, after, limit) : []
      const recipients = ids.flatMap((id) => (Object.hasOwn(overrides, id) ? (overrides[id] ?? []) : []))
      const all = new Map(rows.map((row) => [row.recipient, row]))
      for (const recipient of recipients) if (byBytes(recipient, after) > 0) all.set(recipient, { recipient })
      return [...all.values()].sort((left, right) => byBytes(left.recipient, right.recipient)).slice(0, limit)
    },
  }
}

/** Replies with these statuses have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

function answerOf({ url }: HttpRequest, { fetched = {}, fetched_status = {} }: SimulationBody): HttpReply | Failure {
  const [bare = url] = url.split('?')
  const named = <Value>(map: Record<string, Value>) =>
    ownProperty(map, url) ?? ownProperty(map, bare) ?? ownProperty(map, bare.replace(/\/$/, ''))
  const [answer, status] = [named(fetched), named(fetched_status as Record<string, number>)]
  if (answer !== undefined || status !== undefined) {
    const isEmpty = answer === undefined || (status !== undefined && BODILESS.has(status))
    return { kind: 'http', status: status ?? 200, headers: {}, body: isEmpty ? '' : JSON.stringify(answer) }
  }
  const message = `No response for ${bare} is defined: add one to \`fetched\` of the simulation`
  return { kind: 'failure', failure: 'invalid_request', message, reached: false }
}
