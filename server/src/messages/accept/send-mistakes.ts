/** Mistakes in the body of a send that do not keep it from being accepted: fields that are not read, a time zone that does not exist. */
import { BulkMessage, ListSendBody, MessageSend, SendBody } from '@postrider/contract'
import { type Finding, noFindings, shortened } from '../../base/finding.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { unknownFields } from '../../base/schema/check.ts'
import { checkFieldNames, collectWarnings, type Report } from '../../base/schema/unknown-fields.ts'
import { isKnownTimeZone } from '../../base/time/time-zone.ts'
import { unknownTimeZone } from '../../base/time/zone-findings.ts'
import { checkMessageFields, reportIgnored, reportIgnoredDelay } from './message-fields.ts'
import { reportOverriddenNames, reportUnknownNames } from './message-names.ts'
import { channelNames, overriddenVariables } from './message-overrides.ts'
import { timingMistakes } from './timing-mistakes.ts'

export type SendBodies = SendBody | { message: MessageSend }

/** `now`: the time of the call. */
export function sendMistakes(body: SendBodies, now: number): readonly Finding[] {
  const { warnings, report } = collectWarnings()
  if ('message' in body) {
    reportMessage(body, report)
    const { message } = body
    return joined(mistakesOf(warnings, message, 'message.', now), messageVariables(message, 'message'))
  }
  checkFieldNames(SendBody, body, { at: '', what: 'a send', report })
  if (body.override) reportOverriddenNames(body.override, report)
  reportIgnoredDelay(body.delay ?? {}, 'delay', report)
  return joined(mistakesOf(warnings, body, '', now), overrideVariables(body))
}

export function listSendMistakes(body: ListSendBody, now: number): readonly Finding[] {
  const { warnings, report } = collectWarnings()
  checkFieldNames(ListSendBody, body, { at: '', what: 'a send', report })
  if (body.override) reportOverriddenNames(body.override, report)
  reportIgnoredDelay(body.delay ?? {}, 'delay', report)
  return joined(mistakesOf(warnings, body, '', now), overrideVariables(body))
}

/** A job's message has the fields of either generation, those of the second one also a level down. */
export function jobMistakes({ message }: { message: BulkMessage }, now: number): readonly Finding[] {
  const { warnings, report } = collectWarnings()
  const { to: _to, ...ofMessage } = MessageSend.properties
  const knownFields = Object.keys({ ...BulkMessage.properties, ...ofMessage })
  for (const { sentence } of unknownFields(message, knownFields, 'message')) report(() => sentence)
  const places = [
    { at: 'message', fields: Object.entries(message).filter(([name]) => Object.hasOwn(ofMessage, name)) },
    { at: 'message.message', fields: Object.entries(message.message ?? {}) },
  ].map(({ at, fields }) => ({ at, part: Object.fromEntries(fields) }))
  for (const { at, part } of places) {
    checkMessageFields(part, at, { report, condition })
    reportUnknownNames(part, at, report)
    reportIgnored(part, at, report)
  }
  if (message.override) reportOverriddenNames(message.override, report)
  const ofTimes = places.flatMap(({ at, part }) => mistakesOf([], part, `${at}.`, now))
  const variables = [...overrideVariables(message), ...places.flatMap(({ at, part }) => messageVariables(part, at))]
  return [...mistakesOf(warnings, {}, '', now), ...ofTimes, ...variables]
}

/** Variables in the overrides of a send of the first generation. */
function overrideVariables({ override, data, profile }: JsonObject): readonly Finding[] {
  const byChannel = isObject(override) ? override.channel : undefined
  if (!isObject(byChannel)) return noFindings
  let all = noFindings
  for (const name in byChannel)
    if (channelNames.has(name))
      all = joined(all, overriddenVariables(byChannel[name], `override.channel.${name}`, [data, profile]))
  return all
}

/** The same of the second one. */
function messageVariables({ channels: byChannel, data, to }: JsonObject, at: string): readonly Finding[] {
  if (!isObject(byChannel)) return noFindings
  const values = [data, isObject(to) ? to.data : undefined]
  let all = noFindings
  for (const name in byChannel) {
    const settings = byChannel[name]
    if (channelNames.has(name) && isObject(settings))
      all = joined(all, overriddenVariables(settings.override, `${at}.channels.${name}.override`, values))
  }
  return all
}

const joined = (left: readonly Finding[], right: readonly Finding[]): readonly Finding[] =>
  right.length === 0 ? left : left.length === 0 ? right : [...left, ...right]

/** Sentences: each message of the send keeps them, and at least one for each code. */
const KEPT_MAX = 10

/** For the input of a send. */
export const keptMistakes = (mistakes: readonly Finding[]): { findings?: readonly Finding[] } =>
  mistakes.length === 0 ? {} : { findings: shortened(mistakes, KEPT_MAX) }

/** `at`: the path of the part with the delay. */
function mistakesOf(warnings: readonly string[], part: JsonObject, at: string, now: number): readonly Finding[] {
  const { delay, expiry } = part
  if (warnings.length === 0 && !delay && !expiry) return noFindings
  const mistakes = warnings.map((text): Finding => ({ code: 'field_ignored', text }))
  if (delay || expiry) mistakes.push(...timingMistakes(part, at, now))
  const zone = isObject(delay) ? delay.timezone : undefined
  const isUnknownZone = typeof zone === 'string' && zone !== '' && !isKnownTimeZone(zone)
  if (isUnknownZone) mistakes.push(unknownTimeZone(zone, `the time zone in \`${at}delay.timezone\``))
  return mistakes.length === 0 ? noFindings : mistakes
}

/** Conditions of a send are read when it is decided. */
const condition = () => undefined

const MESSAGE = ['message']

function reportMessage(body: { message: MessageSend }, report: Report): void {
  // The rest beside a message costs as much as the check of one.
  if (Object.keys(body).length > 1) for (const { sentence } of unknownFields(body, MESSAGE, '')) report(() => sentence)
  const { message } = body
  checkMessageFields(message, 'message', { report, condition })
  reportUnknownNames(message, 'message', report)
  reportIgnored(message, 'message', report)
}
