/** The kinds of addresses that are suppressed, the reasons, and the entry that excludes a candidate. */
import { type Static, Type } from 'typebox'
import { timestamp } from '../api/values.ts'

export const addressKinds = ['email', 'phone_number', 'device_token', 'chat_id'] as const
export const AddressKind = Type.Enum([...addressKinds], {
  title: 'AddressKind',
  description: 'Kind of the address. `chat_id`: a chat of Telegram or Discord.',
})
export type AddressKind = Static<typeof AddressKind>

export const suppressionReasons = ['hard_bounce', 'complaint', 'invalid_address', 'unsubscribed', 'manual'] as const
export const SuppressionReason = Type.Enum([...suppressionReasons], {
  title: 'SuppressionReason',
  description:
    'Why nothing is sent to the address. `hard_bounce`: the address does not exist. `complaint`: a mail was reported as spam. `invalid_address`: the number or device token is not in use. `unsubscribed`: the recipient unsubscribed at the provider, or answered STOP. `manual`: added by an operator.',
})
export type SuppressionReason = Static<typeof SuppressionReason>

export const CandidateSuppression = Type.Object(
  {
    id: Type.String({ description: 'Id of the entry in the list of suppressed addresses.' }),
    reason: SuppressionReason,
    source: Type.String({ description: 'Origin of the entry: `provider/smtp`, `inbound/twilio`, `key/backend`.' }),
    created: timestamp('Time at which it was added.'),
  },
  { title: 'CandidateSuppression', description: 'The entry that suppresses the address of the candidate.' },
)
export type CandidateSuppression = Static<typeof CandidateSuppression>
