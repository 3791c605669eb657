/** The name of an automation, what starts it, and the token by which its runs are canceled together. */
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { Card, Section } from '../parts/page.tsx'
import styles from './automations.module.css'
import { type Trigger, withValue } from './draft.ts'
import type { DraftControl } from './use-draft.ts'

const settingsTexts = texts({
  en: {
    names: 'Names',
    alias: 'Alias',
    aliasHint: 'Another name for it in calls.',
    triggers: 'Started by itself',
    triggersText: 'Beside calls of the API and steps of other automations.',
    none: 'Neither an event nor a schedule starts it.',
    kind: 'Started by',
    event: 'Event',
    schedule: 'Schedule',
    eventName: 'Name of the event',
    cron: 'Times, as a cron pattern',
    cronHint: 'Minute, hour, day of month, month, day of week: 0 9 * * MON',
    timezone: 'Time zone',
    add: 'Add event or schedule',
    remove: 'Remove',
    token: 'Cancelation',
    tokenText: 'A step of any automation that cancels this token ends the runs that have it.',
    tokenLabel: 'Token of its runs',
    tokenReference: 'The token is a reference, which is edited in the JSON.',
    delete: 'Delete automation',
    deleteText: 'Deletes all versions. Runs in progress go on with the steps of their start.',
    max: 'An automation has at most 20 of them.',
  },
  de: {
    names: 'Namen',
    alias: 'Alias',
    aliasHint: 'Ein weiterer Name in Aufrufen.',
    triggers: 'Von selbst gestartet',
    triggersText: 'Neben Aufrufen der API und Schritten anderer Automationen.',
    none: 'Weder ein Ereignis noch ein Zeitplan startet sie.',
    kind: 'Gestartet durch',
    event: 'Ereignis',
    schedule: 'Zeitplan',
    eventName: 'Name des Ereignisses',
    cron: 'Zeiten als Cron-Muster',
    cronHint: 'Minute, Stunde, Tag des Monats, Monat, Wochentag: 0 9 * * MON',
    timezone: 'Zeitzone',
    add: 'Ereignis oder Zeitplan hinzufügen',
    remove: 'Entfernen',
    token: 'Abbruch',
    tokenText: 'Ein Schritt einer Automation, der dieses Token abbricht, beendet die Läufe mit diesem Token.',
    tokenLabel: 'Token ihrer Läufe',
    tokenReference: 'Das Token ist ein Verweis; er wird im JSON bearbeitet.',
    delete: 'Automation löschen',
    deleteText: 'Löscht alle Versionen. Begonnene Läufe gehen mit ihren Schritten weiter.',
    max: 'Eine Automation hat davon höchstens 20.',
  },
})

const TRIGGERS_MAX = 20

export interface SettingsTabProps {
  control: DraftControl
  isReadOnly: boolean
  remove(): void
}

export function SettingsTab({ control: { draft, edit }, isReadOnly, remove }: SettingsTabProps) {
  const t = useTexts(words)
  const labels = useTexts(settingsTexts)
  const { name, alias = '', triggers, rest } = draft
  const setTriggers = (next: readonly Trigger[], change?: string) =>
    edit((before) => ({ ...before, triggers: next }), change)
  const token = rest.cancelation_token
  return (
    <>
      <Section title={labels.names}>
        <div className={styles.pairs}>
          <TextInput
            label={t.name}
            readOnly={isReadOnly}
            value={name}
            onChange={({ currentTarget: { value } }) => edit((before) => ({ ...before, name: value }), 'name')}
          />
          <TextInput
            label={labels.alias}
            description={labels.aliasHint}
            inputWrapperOrder={['label', 'input', 'description']}
            readOnly={isReadOnly}
            spellCheck={false}
            value={alias}
            onChange={({ currentTarget: { value } }) =>
              edit((before) => ({ ...before, alias: value === '' ? undefined : value }), 'alias')
            }
          />
        </div>
      </Section>
      <Section title={labels.triggers} description={labels.triggersText}>
        <div className={styles.form}>
          {triggers.length === 0 && <p className={styles.dim}>{labels.none}</p>}
          {triggers.map((trigger, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a trigger has no other identity while it is typed
            <Card key={index}>
              <TriggerForm
                trigger={trigger}
                isReadOnly={isReadOnly}
                change={(next) => setTriggers(triggers.with(index, next), `trigger ${index}`)}
                remove={() => setTriggers(triggers.filter((_, other) => other !== index))}
              />
            </Card>
          ))}
          {!isReadOnly && (
            <div>
              <Button
                variant="default"
                disabled={triggers.length >= TRIGGERS_MAX}
                title={triggers.length >= TRIGGERS_MAX ? labels.max : undefined}
                onClick={() => setTriggers([...triggers, { type: 'event', event: '' }])}
              >
                {labels.add}
              </Button>
            </div>
          )}
        </div>
      </Section>
      <Section title={labels.token} description={labels.tokenText}>
        {typeof token === 'object' && token !== null ? (
          <p className={styles.dim}>
            {labels.tokenReference} <code>{JSON.stringify(token)}</code>
          </p>
        ) : (
          <TextInput
            label={labels.tokenLabel}
            placeholder="cart/${data.cart}"
            readOnly={isReadOnly}
            spellCheck={false}
            value={token === undefined ? '' : String(token)}
            onChange={({ currentTarget: { value } }) =>
              edit(
                (before) => ({ ...before, rest: withValue(before.rest, ['cancelation_token'], value || undefined) }),
                'token',
              )
            }
          />
        )}
      </Section>
      {!isReadOnly && (
        <Section title={labels.delete} description={labels.deleteText}>
          <Button color="bad" variant="light" onClick={remove}>
            {labels.delete}
          </Button>
        </Section>
      )}
    </>
  )
}

interface TriggerFormProps {
  trigger: Trigger
  isReadOnly: boolean
  change(trigger: Trigger): void
  remove(): void
}

function TriggerForm({ trigger, isReadOnly, change, remove }: TriggerFormProps) {
  const labels = useTexts(settingsTexts)
  const text = trigger.type === 'event' ? trigger.event : trigger.cron
  return (
    <div className={styles.triggerForm}>
      <NativeSelect
        label={labels.kind}
        disabled={isReadOnly}
        value={trigger.type}
        data={[
          { value: 'event', label: labels.event },
          { value: 'schedule', label: labels.schedule },
        ]}
        onChange={({ currentTarget: { value } }) =>
          change(
            value === 'event'
              ? { type: 'event', event: '' }
              : { type: 'schedule', cron: '0 9 * * MON', timezone: Intl.DateTimeFormat().resolvedOptions().timeZone },
          )
        }
      />
      {trigger.type === 'event' ? (
        <TextInput
          label={labels.eventName}
          placeholder="cart.left"
          readOnly={isReadOnly}
          spellCheck={false}
          value={trigger.event}
          onChange={({ currentTarget: { value } }) => change({ ...trigger, event: value })}
        />
      ) : (
        <>
          <TextInput
            label={labels.cron}
            description={labels.cronHint}
            inputWrapperOrder={['label', 'input', 'description']}
            readOnly={isReadOnly}
            spellCheck={false}
            value={trigger.cron}
            onChange={({ currentTarget: { value } }) => change({ ...trigger, cron: value })}
          />
          <TextInput
            label={labels.timezone}
            readOnly={isReadOnly}
            spellCheck={false}
            value={trigger.timezone}
            onChange={({ currentTarget: { value } }) => change({ ...trigger, timezone: value })}
          />
        </>
      )}
      {!isReadOnly && (
        <div className={styles.triggerFoot}>
          <Button size="compact-sm" variant="subtle" aria-label={`${labels.remove}: ${text}`} onClick={remove}>
            {labels.remove}
          </Button>
        </div>
      )}
    </div>
  )
}
