/** Findings: mistakes in a message. Most do not keep it from being sent. */
import { type Static, Type } from 'typebox'

const findings = {
  event_unknown: 'no notification is mapped to the event',
  template_unknown: 'the template does not exist',
  notification_unpublished: 'the notification has no published version',
  field_ignored: 'the send has a field that is not read',
  tenant_unknown: 'the tenant does not exist',
  topic_unknown: 'the topic does not exist',
  locale_unknown: 'the locale of the recipient is not a language',
  time_zone_unknown: 'a time zone does not exist',
  strategy_unknown: 'the routing strategy does not exist',
  route_name_unknown: 'a name in the routing is neither a channel nor a provider with an integration',
  brand_unknown: 'the brand does not exist',
  snippet_missing: 'the brand has no snippet of that name',
  variable_missing: 'a variable in the content has no value',
  variable_empty: 'a variable of the profile is empty',
  translation_missing: 'a text has no translation',
  element_unknown: 'the content has an element that does not exist',
  element_field_ignored: 'an element of the content has a field or a value without effect',
  content_altered: 'a part of the content is not shown as it was written',
  links_empty: 'a link for the recipient is empty',
  mail_large: 'the mail is larger than Gmail shows',
  copies_refused: 'the mail server did not take a copy',
} as const

const described = Object.entries(findings)
  .map(([code, meaning]) => `\`${code}\` (${meaning})`)
  .join(', ')

export const findingCodes = Object.keys(findings) as (keyof typeof findings)[]

export const FindingCode = Type.Enum(findingCodes, {
  title: 'FindingCode',
  description: `A mistake in a message: ${described}. Later versions can have further codes.`,
})
export type FindingCode = Static<typeof FindingCode>
