/** Mistakes in what a send puts over its content: fields that are not read, and variables, which are sent as they are written. */
import { channels } from '@postrider/contract'
import { type Finding, noFindings } from '../../base/finding.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { nameAdvice, nearestName, quoted } from '../../base/quote.ts'
import { type Report, shown } from '../../base/schema/unknown-fields.ts'
import { overriddenTexts } from '../decide/render.ts'

export const channelNames: ReadonlySet<string> = new Set(channels)

/** The options of a channel are those that `render` reads. */
const OF_ANY = [...overriddenTexts, 'brand', 'tracking']
const fields: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['email', new Set([...OF_ANY, 'from', 'replyTo', 'reply_to', 'cc', 'bcc', 'headers', 'attachments'])],
  ['push', new Set([...OF_ANY, 'icon', 'data', 'clickAction', 'click_action'])],
])
const ofOthers: ReadonlySet<string> = new Set(OF_ANY)

export function reportChannelOverride(channel: string, override: JsonObject, at: string, report: Report): void {
  const names = fields.get(channel) ?? ofOthers
  for (const name in override)
    if (!names.has(name) && isGiven(override[name]))
      report(() => `Unknown field ${quoted(name)} at ${at}.${nameAdvice(name, [...names], at)}`)
}

/** The request to a provider has fields of its own beside these: only a name that is nearly one of them is a mistake. */
const OF_PROVIDER = ['body', 'config']

export function reportProviderOverride(override: JsonObject, at: string, report: Report): void {
  if (Object.hasOwn(override, 'body') && Object.hasOwn(override, 'config')) return
  let compared = 0
  for (const name in override) {
    if (OF_PROVIDER.includes(name) || !isGiven(override[name])) continue
    compared += 1
    if (compared > COMPARED_MAX) return
    const near = nearestName(name, OF_PROVIDER, 1)
    if (near !== undefined && !Object.hasOwn(override, near))
      report(() => `Unknown field ${quoted(shown(name))} at ${at}. Did you mean ${quoted(near)}?`)
  }
}

const COMPARED_MAX = 20

export const isGiven = (value: unknown) => value !== undefined && value !== null

/** Enough to correct the send. */
const VARIABLES_MAX = 5
const BRACES_MAX = 1_000
const VARIABLE = /(?<![{$])\{([A-Za-z_][\w.]{0,63})\}(?!\})/g

/** `override`: of a channel. Only where the send has a value: other braces may be meant for the provider. */
export function overriddenVariables(override: unknown, at: string, values: readonly unknown[]): readonly Finding[] {
  if (!isObject(override)) return noFindings
  let findings = noFindings
  for (const name of overriddenTexts) {
    const text = override[name]
    if (typeof text !== 'string' || !text.includes('{')) continue
    findings = [...findings, ...variablesIn(text, values).map((variable) => sentAsWritten(variable, `${at}.${name}`))]
  }
  return findings
}

const sentAsWritten = (variable: string, at: string): Finding => ({
  code: 'variable_missing',
  text: `${at}: ${quoted(variable)} is not filled in: the recipient reads ${quoted(variable)}.`,
})

function variablesIn(text: string, values: readonly unknown[]): string[] {
  const variables = new Set<string>()
  let braces = 0
  for (const [variable, path = ''] of text.matchAll(VARIABLE)) {
    braces += 1
    if (variables.size >= VARIABLES_MAX || braces > BRACES_MAX) break
    if (hasValue(path, values)) variables.add(variable)
  }
  return [...variables]
}

function hasValue(path: string, values: readonly unknown[]): boolean {
  if (path.startsWith('data.') || path.startsWith('profile.')) return true
  const [root = ''] = path.split('.')
  return values.some((value) => isObject(value) && Object.hasOwn(value, root))
}
