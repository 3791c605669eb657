/** The environment: a colored mark with its name, and the switch to the other one where the key permits it. */
import { CheckIcon, ChevronUpDownIcon } from '@heroicons/react/20/solid'
import { Menu, UnstyledButton } from '@mantine/core'
import { home } from '../address.ts'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { useAction } from '../parts/confirm.tsx'
import { api } from '../session/api.ts'
import { useSession } from '../session/session.tsx'
import styles from './environment-switch.module.css'

const environments = ['production', 'test'] as const

const switchTexts = texts({
  en: {
    production: 'Messages reach real people',
    test: 'Data of its own, for trying',
    fixed: 'This key belongs to one environment. Sign in with a key of the other one to change to it.',
  },
  de: {
    production: 'Nachrichten erreichen echte Menschen',
    test: 'Eigene Daten, zum Ausprobieren',
    fixed: 'Dieser Schlüssel gehört zu einer Umgebung. Für die andere mit deren Schlüssel anmelden.',
  },
})

export function EnvironmentSwitch() {
  const t = useTexts(words)
  const labels = useTexts(switchTexts)
  const session = useSession()
  const canSwitch = session.environments.length > 1
  const change = useAction({
    act: (environment: (typeof environments)[number]) => api.sessions.switch({ environment }),
    // Ids of one environment mean nothing in the other: nothing of this page is kept.
    after: () => location.assign(home),
  })
  return (
    <Menu width={260} position="bottom-start">
      <Menu.Target>
        <UnstyledButton
          className={styles.switch}
          data-environment={session.environment}
          aria-label={`${t.environment}: ${t[session.environment]}`}
        >
          <span className={styles.name}>{t[session.environment]}</span>
          <ChevronUpDownIcon className={styles.icon} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t.environment}</Menu.Label>
        {environments.map((environment) => (
          <Menu.Item
            key={environment}
            disabled={environment !== session.environment && !canSwitch}
            onClick={() => environment !== session.environment && change.mutate(environment)}
            rightSection={environment === session.environment && <CheckIcon className={styles.icon} aria-hidden />}
          >
            <div>{t[environment]}</div>
            <div className={styles.hint}>{labels[environment]}</div>
          </Menu.Item>
        ))}
        {!canSwitch && <Menu.Label>{labels.fixed}</Menu.Label>}
      </Menu.Dropdown>
    </Menu>
  )
}
