/** The menu of the session: its key and role, language, colors, sign-out. */
import { ChevronUpDownIcon, KeyIcon } from '@heroicons/react/20/solid'
import { Menu, SegmentedControl, UnstyledButton } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { docsPath } from '../address.ts'
import { type Language, languages, texts, useLanguage, useTexts } from '../language/language.tsx'
import { ColorChoice } from '../parts/color-choice.tsx'
import { useAction } from '../parts/confirm.tsx'
import { api, sessionKey } from '../session/api.ts'
import { useSession } from '../session/session.tsx'
import styles from './account.module.css'

const accountTexts = texts({
  en: {
    full: 'Full access',
    draft: 'draft key',
    mock: 'mock key',
    editor: 'Editor of templates and brands',
    reader: 'Reads everything',
    viewer: 'Viewer without personal data',
    language: 'Language',
    colors: 'Colors',
    keys: 'Keys of the keyboard',
    reference: 'API reference',
    signOut: 'Sign out',
  },
  de: {
    full: 'Voller Zugriff',
    draft: 'Draft-Schlüssel',
    mock: 'Mock-Schlüssel',
    editor: 'Bearbeitet Vorlagen und Marken',
    reader: 'Liest alles',
    viewer: 'Liest, ohne persönliche Daten',
    language: 'Sprache',
    colors: 'Farben',
    keys: 'Tasten',
    reference: 'API-Referenz',
    signOut: 'Abmelden',
  },
})

export function Account({ showKeys }: { showKeys(): void }) {
  const t = useTexts(accountTexts)
  const session = useSession()
  const queries = useQueryClient()
  const { language, choose } = useLanguage()
  const signOut = useAction({
    act: () => api.sessions.signOut(),
    after: () => {
      // First, so that the form stands in place of the screens, which do not notice that a query is gone.
      queries.setQueryData(sessionKey, null)
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })
    },
  })
  return (
    <Menu width={264} position="top-start" closeOnItemClick={false}>
      <Menu.Target>
        <UnstyledButton className={styles.account}>
          <KeyIcon className={styles.key} aria-hidden />
          <span data-words>
            <strong>{session.key.name}</strong>
            <span className={styles.role}>
              {[t[session.role], ...(session.kind === 'published' ? [] : [t[session.kind]])].join(' · ')}
            </span>
          </span>
          <ChevronUpDownIcon className={styles.icon} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t.colors}</Menu.Label>
        <ColorChoice fullWidth />
        <Menu.Label>{t.language}</Menu.Label>
        <SegmentedControl
          fullWidth
          size="xs"
          aria-label={t.language}
          value={language}
          onChange={(value) => choose(value as Language)}
          data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
        />
        <Menu.Divider />
        <Menu.Item onClick={showKeys}>{t.keys}</Menu.Item>
        <Menu.Item component="a" href={docsPath()} target="_blank">
          {t.reference}
        </Menu.Item>
        <Menu.Item onClick={() => signOut.mutate()}>{t.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
