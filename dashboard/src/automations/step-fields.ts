/** The fields of each step: which there are follows from the contract, how each is edited stands here. */
import type {
  AddToBatchStep,
  AddToDigestStep,
  CancelStep,
  DelayStep,
  FetchDataStep,
  GetProfileStep,
  InvokeStep,
  SendListStep,
  SendStep,
  ThrottleStep,
  UpdateListStep,
  UpdateProfileStep,
} from '@postrider/client'
import { texts } from '../language/language.tsx'

type Step =
  | SendStep
  | SendListStep
  | DelayStep
  | CancelStep
  | FetchDataStep
  | UpdateProfileStep
  | GetProfileStep
  | UpdateListStep
  | InvokeStep
  | AddToBatchStep
  | AddToDigestStep
  | ThrottleStep
export type Action = Step['action']

type FieldsOf<Name extends Action> = Exclude<keyof Extract<Step, { action: Name }>, 'action' | 'if' | 'ref'>
type FieldName = { [Name in Action]: FieldsOf<Name> }[Action]

export type FieldKind =
  | 'line'
  | 'number'
  | 'flag'
  | 'json'
  /** Names of things in this workspace, offered while it is typed. */
  | 'template'
  | 'automation'
  | 'user'
  | 'list'
  | 'topic'
  | 'brand'
  | readonly string[]

export interface FieldControl {
  kind: FieldKind
  /** Shown at once; the others on request, or when they are set. */
  isUsual?: boolean
  placeholder?: string
}
/** A field, or the fields of an object by name. */
type Control = FieldControl | { fields: Readonly<Record<string, FieldControl>> }

const strategies = ['replace', 'overwrite', 'soft-merge', 'none']
const scopes = ['user', 'global', 'dynamic']
const rare = (kind: FieldKind): FieldControl => ({ kind })
const usual = (kind: FieldKind, placeholder?: string): FieldControl => ({
  kind,
  isUsual: true,
  ...(placeholder !== undefined && { placeholder }),
})

const sendFields = {
  brand: rare('brand'),
  data: rare('json'),
  override: rare('json'),
  idempotency_key: rare('line'),
  idempotency_expiry: rare('line'),
}
const webhook = {
  url: usual('line', 'https://shop.example/orders/${data.order}'),
  method: usual(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  headers: rare('json'),
  params: rare('json'),
  body: rare('json'),
}

/** In the order of the form. */
const fieldsOfAction: { [Name in Action]: Record<FieldsOf<Name>, Control> } = {
  send: {
    template: usual('template'),
    recipient: usual('user'),
    message: rare('json'),
    profile: rare('json'),
    ...sendFields,
  },
  'send-list': {
    list: usual('list'),
    template: usual('template'),
    data_source: { fields: { webhook: rare('json'), merge_strategy: rare(strategies) } },
    ...sendFields,
  },
  delay: {
    duration: usual('line', '2 days'),
    until: usual('line', 'Mo-Fr 09:00-17:00'),
    timezone: usual('line', 'Europe/Berlin'),
  },
  cancel: { cancelation_token: usual('line', 'cart/${data.cart}') },
  'fetch-data': {
    webhook: { fields: webhook },
    merge_strategy: usual(strategies),
    idempotency_key: rare('line'),
    idempotency_expiry: rare('line'),
  },
  'update-profile': { recipient_id: usual('user'), profile: usual('json'), merge: usual(strategies) },
  'get-profile': {
    user_id: usual('user'),
    path: usual('line', 'owner'),
    merge_strategy: rare(strategies),
    tenant_id: rare('line'),
  },
  'update-list': {
    list: usual('list'),
    operation: usual(['subscribe', 'unsubscribe']),
    recipient_id: rare('user'),
  },
  invoke: { template: usual('automation'), context: rare('json') },
  'add-to-batch': {
    wait_period: usual('line', '10 minutes'),
    max_wait_period: usual('line', '1 hour'),
    max_items: usual('number'),
    scope: usual(scopes),
    batch_key: rare('line'),
    batch_id: rare('line'),
    category_key: rare('line'),
    retain: {
      fields: {
        type: rare(['first', 'last', 'highest', 'lowest']),
        count: rare('number'),
        sort_key: rare('line'),
      },
    },
  },
  'add-to-digest': { subscription_topic_id: usual('topic') },
  throttle: {
    max_allowed: usual('number', '3'),
    period: usual('line', '1 day'),
    scope: usual(scopes),
    throttle_key: rare('line'),
    on_throttle: { fields: { $node_id: rare('line') } },
    should_alert: rare('flag'),
  },
}

export const actions = Object.keys(fieldsOfAction) as Action[]
export const isAction = (action: unknown): action is Action => typeof action === 'string' && action in fieldsOfAction

export interface StepField extends FieldControl {
  path: readonly string[]
  /** The name of its text. */
  name: StepFieldText
}

export function stepFields(action: Action): StepField[] {
  return Object.entries<Control>(fieldsOfAction[action]).flatMap(([name, control]) =>
    'fields' in control
      ? Object.entries(control.fields).map(([inner, field]) => ({
          ...field,
          path: [name, inner],
          name: `field_${name}.${inner}` as StepFieldText,
        }))
      : [{ ...control, path: [name], name: `field_${name}` as StepFieldText }],
  )
}

/** A new step is complete but for what only its writer knows. */
export const newStep: { [Name in Action]: Record<string, unknown> } = {
  send: { template: '' },
  'send-list': { list: '', template: '' },
  delay: { duration: '1 day' },
  cancel: { cancelation_token: '' },
  'fetch-data': { webhook: { url: '' }, merge_strategy: 'overwrite' },
  'update-profile': { recipient_id: '${recipient}', profile: {}, merge: 'overwrite' },
  'get-profile': { user_id: '', path: 'profile' },
  'update-list': { list: '', operation: 'subscribe' },
  invoke: { template: '' },
  'add-to-batch': { wait_period: '10 minutes', max_wait_period: '1 hour', scope: 'user' },
  'add-to-digest': { subscription_topic_id: '' },
  throttle: { max_allowed: 1, period: '1 day', scope: 'user' },
}

type Nested =
  | 'data_source.webhook'
  | 'data_source.merge_strategy'
  | `webhook.${keyof typeof webhook}`
  | 'retain.type'
  | 'retain.count'
  | 'retain.sort_key'
  | 'on_throttle.$node_id'
type StepFieldText = `field_${Exclude<FieldName, 'webhook' | 'data_source' | 'retain' | 'on_throttle'> | Nested}`
type StepTexts = Record<`action_${Action}`, string> & Record<StepFieldText, string>

const en = {
  action_send: 'Send a message',
  'action_send-list': 'Send to a list',
  action_delay: 'Wait',
  action_cancel: 'Cancel other runs',
  'action_fetch-data': 'Fetch data',
  'action_update-profile': 'Update a profile',
  'action_get-profile': 'Read a profile',
  'action_update-list': 'Change a list',
  action_invoke: 'Start an automation',
  'action_add-to-batch': 'Collect in a batch',
  'action_add-to-digest': 'Add to a digest',
  action_throttle: 'Limit runs',
  field_template: 'Template',
  field_recipient: 'Recipient',
  field_message: 'Message, instead of a template',
  field_profile: 'Profile',
  field_brand: 'Brand',
  field_data: 'Data',
  field_override: 'Overrides by provider',
  field_idempotency_key: 'Idempotency key',
  field_idempotency_expiry: 'Expiry of the key',
  field_list: 'List',
  'field_data_source.webhook': 'Request for the data of each subscriber',
  'field_data_source.merge_strategy': 'How its data are merged',
  field_duration: 'For how long',
  field_until: 'Until, a time or opening hours',
  field_timezone: 'Time zone',
  field_cancelation_token: 'Token of the runs to cancel',
  'field_webhook.url': 'URL',
  'field_webhook.method': 'Method',
  'field_webhook.headers': 'Headers',
  'field_webhook.params': 'Query parameters',
  'field_webhook.body': 'Body',
  field_merge_strategy: 'How the data are merged',
  field_recipient_id: 'User',
  field_merge: 'How the profile is merged',
  field_user_id: 'User',
  field_path: 'Path in the data',
  field_tenant_id: 'Tenant',
  field_operation: 'Change',
  field_context: 'Context of the run',
  field_batch_id: 'Name of the batch',
  field_wait_period: 'Closes after a quiet time of',
  field_max_wait_period: 'Closes at the latest after',
  field_max_items: 'Closes at this many items',
  'field_retain.type': 'Items to keep',
  'field_retain.count': 'How many items to keep',
  'field_retain.sort_key': 'Value that is compared',
  field_scope: 'Counted together',
  field_batch_key: 'Key of the batch',
  field_category_key: 'Key in the data',
  field_subscription_topic_id: 'Topic',
  field_max_allowed: 'Runs that pass',
  field_period: 'In a period of',
  field_throttle_key: 'Key that is counted',
  field_should_alert: 'Mark it in the result',
  'field_on_throttle.$node_id': 'A run over the limit goes on at the step',
} satisfies StepTexts

const de: Record<keyof typeof en, string> = {
  action_send: 'Nachricht senden',
  'action_send-list': 'An eine Liste senden',
  action_delay: 'Warten',
  action_cancel: 'Andere Läufe abbrechen',
  'action_fetch-data': 'Daten holen',
  'action_update-profile': 'Profil ändern',
  'action_get-profile': 'Profil lesen',
  'action_update-list': 'Liste ändern',
  action_invoke: 'Automation starten',
  'action_add-to-batch': 'Im Stapel sammeln',
  'action_add-to-digest': 'Zur Sammelnachricht legen',
  action_throttle: 'Läufe begrenzen',
  field_template: 'Vorlage',
  field_recipient: 'Empfänger',
  field_message: 'Nachricht statt einer Vorlage',
  field_profile: 'Profil',
  field_brand: 'Marke',
  field_data: 'Daten',
  field_override: 'Vorgaben je Anbieter',
  field_idempotency_key: 'Idempotenz-Schlüssel',
  field_idempotency_expiry: 'Ablauf des Schlüssels',
  field_list: 'Liste',
  'field_data_source.webhook': 'Anfrage nach den Daten jedes Eingetragenen',
  'field_data_source.merge_strategy': 'Wie diese Daten dazukommen',
  field_duration: 'Wie lange',
  field_until: 'Bis zu einer Zeit oder zu Öffnungszeiten',
  field_timezone: 'Zeitzone',
  field_cancelation_token: 'Token der Läufe',
  'field_webhook.url': 'URL',
  'field_webhook.method': 'Methode',
  'field_webhook.headers': 'Kopfzeilen',
  'field_webhook.params': 'Parameter der Adresse',
  'field_webhook.body': 'Inhalt',
  field_merge_strategy: 'Wie die Daten dazukommen',
  field_recipient_id: 'Nutzer',
  field_merge: 'Wie das Profil dazukommt',
  field_user_id: 'Nutzer',
  field_path: 'Pfad in den Daten',
  field_tenant_id: 'Mandant',
  field_operation: 'Änderung',
  field_context: 'Kontext des Laufs',
  field_batch_id: 'Name des Stapels',
  field_wait_period: 'Schließt nach einer Ruhe von',
  field_max_wait_period: 'Schließt spätestens nach',
  field_max_items: 'Schließt bei so vielen Einträgen',
  'field_retain.type': 'Welche Einträge bleiben',
  'field_retain.count': 'Wie viele Einträge bleiben',
  'field_retain.sort_key': 'Verglichener Wert',
  field_scope: 'Gemeinsam gezählt',
  field_batch_key: 'Schlüssel des Stapels',
  field_category_key: 'Schlüssel in den Daten',
  field_subscription_topic_id: 'Thema',
  field_max_allowed: 'So viele Läufe gehen durch',
  field_period: 'In einem Zeitraum von',
  field_throttle_key: 'Gezählter Schlüssel',
  field_should_alert: 'Im Ergebnis vermerken',
  'field_on_throttle.$node_id': 'Was darüber liegt, geht weiter bei Schritt',
}

export const stepTexts = texts({ en, de })
