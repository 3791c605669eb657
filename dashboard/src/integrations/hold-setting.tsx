/** The setting of the environment by which messages wait for the repair of an integration instead of failing. */
import { Switch } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { integrationKey } from '../health/integrations.ts'
import { texts, useTexts } from '../language/language.tsx'
import { useAction, useConfirm } from '../parts/confirm.tsx'
import { Section } from '../parts/page.tsx'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import styles from './integrations.module.css'

const holdTexts = texts({
  en: {
    title: 'When integrations refuse their settings',
    hold: 'Hold the messages until the repair',
    hint: 'Credentials that are not accepted, a sender that is not verified, an integration that is switched off: with nothing else left to try, a message waits as “Held” and goes on by itself after the repair. Off: it fails.',
    on: 'Messages are held from now on.',
    off: 'Messages fail from now on.',
    endTitle: 'Let messages fail',
    endText: 'Held messages of this environment are tried once more, and then fail. That cannot be undone.',
  },
  de: {
    title: 'Wenn Integrationen ihre Einstellungen ablehnen',
    hold: 'Nachrichten bis zur Reparatur anhalten',
    hint: 'Abgelehnte Zugangsdaten, ein nicht bestätigter Absender, eine ausgeschaltete Integration: Bleibt kein anderer Weg, wartet die Nachricht als „Angehalten“ und geht nach der Reparatur von selbst weiter. Aus: Sie scheitert.',
    on: 'Nachrichten werden ab jetzt angehalten.',
    off: 'Nachrichten scheitern ab jetzt.',
    endTitle: 'Nachrichten scheitern lassen',
    endText:
      'Angehaltene Nachrichten dieser Umgebung werden noch einmal versucht und scheitern dann. Das lässt sich nicht rückgängig machen.',
  },
})

const settingsKey = ['settings'] as const
const settingsQuery = queryOptions({ queryKey: settingsKey, queryFn: ({ signal }) => api.settings.get({ signal }) })

export function HoldSetting() {
  const t = useTexts(holdTexts)
  const { canOperate } = usePermissions()
  const confirm = useConfirm()
  const { data } = useQuery(settingsQuery)
  const change = useAction({
    act: (isOn: boolean) => api.settings.update({ hold_misconfigured: isOn }),
    done: (_result, isOn) => (isOn ? t.on : t.off),
    changes: [settingsKey, integrationKey, ['messages']],
  })
  if (!data) return null
  const switchTo = async (isOn: boolean) => {
    const isConfirmed = isOn || (await confirm({ title: t.endTitle, text: t.endText, action: t.endTitle }))
    if (isConfirmed) change.mutate(isOn)
  }
  return (
    <Section title={t.title}>
      <Switch
        className={styles.hold}
        label={t.hold}
        description={t.hint}
        checked={data.hold_misconfigured}
        disabled={!canOperate || change.isPending}
        onChange={(event) => void switchTo(event.currentTarget.checked)}
      />
    </Section>
  )
}
