/** Signs in by an API key or by a link, which is exchanged for a cookie and not kept. */
import { KeyIcon } from '@heroicons/react/20/solid'
import { Button, PasswordInput } from '@mantine/core'
import type { Identity, SessionsSignInBody } from '@postrider/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { version } from '../../package.json'
import { docsPath, home } from '../address.ts'
import { texts, useTexts } from '../language/language.tsx'
import { ColorChoice } from '../parts/color-choice.tsx'
import { CopyableId } from '../parts/copyable.tsx'
import { Mark } from '../parts/mark.tsx'
import { messageOf } from '../parts/states.tsx'
import { api, isServerFailure, sessionKey } from './api.ts'
import { interruption } from './interruption.ts'
import styles from './sign-in.module.css'
import { takeSignInLink, useHasSignInLink } from './sign-in-link.ts'

const signInTexts = texts({
  en: {
    title: (host: string) => `Sign in to ${host}`,
    lead: 'Open the link that the server printed, or paste an API key. The key decides the environment.',
    label: 'API key',
    hint: 'It goes to this server only; the browser gets a cookie that ends after 12 hours without use; a page that is open uses it.',
    action: 'Sign in',
    byLink: 'Signing in with the link …',
    again: 'Try the link again',
    noKey: 'No key at hand?',
    docs: 'API reference',
    or: 'or',
    link: 'On the server, a link that works once, for 10 minutes:',
    key: 'Or a key for the dashboard; --role viewer only reads:',
  },
  de: {
    title: (host: string) => `Bei ${host} anmelden`,
    lead: 'Den Link öffnen, den der Server angezeigt hat, oder einen API-Schlüssel einfügen. Der Schlüssel bestimmt die Umgebung.',
    label: 'API-Schlüssel',
    hint: 'Er geht nur an diesen Server; der Browser bekommt ein Cookie, das nach 12 Stunden ohne Nutzung endet; eine offene Seite nutzt es.',
    action: 'Anmelden',
    byLink: 'Anmeldung mit dem Link …',
    again: 'Link erneut versuchen',
    noKey: 'Kein Schlüssel zur Hand?',
    docs: 'API-Referenz',
    or: 'oder',
    link: 'Auf dem Server, ein Link für ein Mal, 10 Minuten lang:',
    key: 'Oder ein Schlüssel für das Dashboard; --role viewer liest nur:',
  },
})

export function SignIn({ isAgain = false }: { isAgain?: boolean }) {
  const t = useTexts(signInTexts)
  const [key, setKey] = useState('')
  const signIn = useSignIn()
  const hasLink = useHasSignInLink()
  useEffect(() => {
    const link = hasLink ? takeSignInLink() : undefined
    if (link !== undefined) signIn.mutate({ link })
  }, [hasLink, signIn.mutate])
  const byLink = signIn.variables?.link !== undefined
  const error = signIn.isError ? messageOf(signIn.error) : undefined
  return (
    <main className={isAgain ? undefined : styles.page}>
      <div className={styles.column}>
        {!isAgain && (
          <header>
            <Mark size={32} />
            <h1>{t.title(location.host)}</h1>
            <p className={styles.lead}>{t.lead}</p>
          </header>
        )}
        <p role="status" className={byLink && signIn.isPending ? styles.lead : 'visually-hidden'}>
          {byLink && signIn.isPending && t.byLink}
        </p>
        {byLink && error && (
          <p role="alert" className={styles.error}>
            {error}{' '}
            {isServerFailure(signIn.error) && (
              <Button size="compact-sm" variant="default" onClick={() => signIn.mutate({ ...signIn.variables })}>
                {t.again}
              </Button>
            )}
          </p>
        )}
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault()
            if (key.trim() !== '') signIn.mutate({ key: key.trim() })
          }}
        >
          <PasswordInput
            label={t.label}
            description={t.hint}
            name="api-key"
            classNames={{ innerInput: styles.key ?? '', description: styles.hint ?? '' }}
            placeholder={`pk_prod_… ${t.or} pk_test_…`}
            leftSection={<KeyIcon width={16} aria-hidden />}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            required
            withAsterisk={false}
            autoComplete="current-password"
            spellCheck={false}
            data-autofocus
            autoFocus
            value={key}
            onChange={(event) => setKey(event.currentTarget.value)}
            error={byLink ? undefined : error}
          />
          <Button type="submit" fullWidth loading={signIn.isPending} rightSection={<kbd aria-hidden>↵</kbd>}>
            {t.action}
          </Button>
        </form>
        {!isAgain && (
          <section className={styles.how}>
            <h2>{t.noKey}</h2>
            <p>{t.link}</p>
            <div className={styles.command}>
              <CopyableId id="postrider open" whole />
            </div>
            <p>{t.key}</p>
            <div className={styles.command}>
              <CopyableId id="postrider keys create --name dashboard" whole />
            </div>
          </section>
        )}
        {!isAgain && (
          <footer className={styles.footer}>
            <span>{version}</span>
            <a href={docsPath()}>{t.docs}</a>
            <ColorChoice />
          </footer>
        )}
      </div>
    </main>
  )
}

/** In the environment that the page shows. Where the new session may not act there, or is of another key by a link, the page is left. */
function useSignIn() {
  const queries = useQueryClient()
  return useMutation({
    async mutationFn(credentials: SessionsSignInBody) {
      const session = await api.sessions.signIn(credentials)
      const shown = queries.getQueryData<Identity | null>(sessionKey)
      // A link may be another person's: what this one typed is not saved with its key.
      const isOthers = credentials.link !== undefined && shown?.key.id !== session.key.id
      if (!shown || (shown.environment === session.environment && !isOthers)) return session
      // The page behind the dialog belongs to the environment of before.
      if (!isOthers && session.environments.includes(shown.environment))
        return api.sessions.switch({ environment: shown.environment })
      location.assign(home)
      // The dialog stays for a person who stays with what is not saved: no call of this page goes on with that session.
      return undefined
    },
    onSuccess: async (session) => {
      if (!session) return
      queries.setQueryData(sessionKey, session)
      interruption.set(undefined)
      // Everything else was loaded, or refused, for the session before.
      await queries.invalidateQueries()
    },
  })
}
