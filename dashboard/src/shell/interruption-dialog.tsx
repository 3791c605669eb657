/** A session that ended, or was switched in another tab: what was being done stays where it is behind the dialog. */
import { Button, Group, Modal } from '@mantine/core'
import type { KeyEnvironment } from '@postrider/client'
import { useQueryClient } from '@tanstack/react-query'
import { home } from '../address.ts'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { useAction } from '../parts/confirm.tsx'
import { api, sessionKey } from '../session/api.ts'
import { interruption, useInterruption } from '../session/interruption.ts'
import { useSession } from '../session/session.tsx'
import { SignIn } from '../session/sign-in.tsx'
import styles from './interruption-dialog.module.css'

const dialogTexts = texts({
  en: {
    endedTitle: 'Sign in again',
    ended: 'Your session has ended. Sign in to go on; nothing on this page is lost.',
    switchedTitle: (to: string) => `The session was switched to ${to}`,
    switched: (shown: string, to: string) =>
      `That was done in another tab. This page shows ${shown}: nothing is read or changed until you choose. What is not saved here is lost when you go to ${to}.`,
    back: (shown: string) => `Switch back to ${shown}`,
    goOn: (to: string) => `Go to ${to}`,
  },
  de: {
    endedTitle: 'Erneut anmelden',
    ended: 'Die Sitzung ist beendet. Nach der Anmeldung geht es weiter, nichts auf dieser Seite geht verloren.',
    switchedTitle: (to: string) => `Die Sitzung ist auf ${to} umgestellt`,
    switched: (shown: string, to: string) =>
      `Das geschah in einem anderen Tab. Diese Seite zeigt ${shown}: Bis zur Wahl wird nichts gelesen und nichts geändert. Nicht Gespeichertes geht beim Wechsel zu ${to} verloren.`,
    back: (shown: string) => `Zurück zu ${shown}`,
    goOn: (to: string) => `Zu ${to} wechseln`,
  },
})

export function InterruptionDialog() {
  const t = useTexts(dialogTexts)
  const names = useTexts(words)
  const current = useInterruption()
  const { environment } = useSession()
  const to = current?.kind === 'switched' ? current.to : undefined
  return (
    <Modal
      opened={current !== undefined}
      onClose={() => {}}
      title={to ? t.switchedTitle(names[to]) : t.endedTitle}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <p className={styles.text}>{to ? t.switched(names[environment], names[to]) : t.ended}</p>
      {to ? <Switched shown={environment} to={to} /> : <SignIn isAgain />}
    </Modal>
  )
}

function Switched({ shown, to }: { shown: KeyEnvironment; to: KeyEnvironment }) {
  const t = useTexts(dialogTexts)
  const names = useTexts(words)
  const queries = useQueryClient()
  const back = useAction({
    act: () => api.sessions.switch({ environment: shown }),
    after: (session) => {
      queries.setQueryData(sessionKey, session)
      interruption.set(undefined)
      void queries.invalidateQueries()
    },
  })
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={() => location.assign(home)}>
        {t.goOn(names[to])}
      </Button>
      <Button data-autofocus loading={back.isPending} onClick={() => back.mutate()}>
        {t.back(names[shown])}
      </Button>
    </Group>
  )
}
