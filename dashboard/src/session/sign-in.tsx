/** Signs in by an API key, which is exchanged for a cookie and not kept. */
import { Button, PasswordInput } from '@mantine/core'
import type { Identity } from '@postrider/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { messageOf } from '../parts/states.tsx'
import { api, sessionKey } from './api.ts'
import { interruption } from './interruption.ts'
import styles from './sign-in.module.css'

const signInTexts = texts({
  en: {
    title: 'Sign in to Postrider',
    label: 'API key',
    hint: 'The first start prints one, and POSTRIDER_API_KEY sets one. The key is not kept in this browser.',
    action: 'Sign in',
    more: 'More keys, and keys that only read:',
  },
  de: {
    title: 'Bei Postrider anmelden',
    label: 'API-Schlüssel',
    hint: 'Der erste Start zeigt einen an, POSTRIDER_API_KEY legt einen fest. Dieser Browser behält den Schlüssel nicht.',
    action: 'Anmelden',
    more: 'Weitere Schlüssel, auch nur zum Lesen:',
  },
})

export function SignIn({ isAgain = false }: { isAgain?: boolean }) {
  const t = useTexts(signInTexts)
  const [key, setKey] = useState('')
  const queries = useQueryClient()
  const signIn = useMutation({
    async mutationFn() {
      const session = await api.sessions.signIn({ api_key: key.trim() })
      const shown = queries.getQueryData<Identity | null>(sessionKey)
      if (!shown || shown.environment === session.environment) return session
      // The page behind the dialog belongs to the environment of before.
      if (session.environments.includes(shown.environment))
        return api.sessions.switch({ environment: shown.environment })
      location.assign('/app/')
      return session
    },
    onSuccess: async (session) => {
      queries.setQueryData(sessionKey, session)
      interruption.set(undefined)
      // Everything else was loaded, or refused, for the session before.
      await queries.invalidateQueries()
    },
  })
  return (
    <main className={isAgain ? undefined : styles.page}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (key.trim() !== '') signIn.mutate()
        }}
      >
        {!isAgain && <img src="/app/icon.svg" alt="" width={40} height={40} />}
        {!isAgain && <h1>{t.title}</h1>}
        <PasswordInput
          label={t.label}
          description={t.hint}
          name="api-key"
          autoComplete="current-password"
          spellCheck={false}
          data-autofocus
          autoFocus
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
          error={signIn.isError ? messageOf(signIn.error) : undefined}
        />
        <Button type="submit" fullWidth loading={signIn.isPending} disabled={key.trim() === ''}>
          {t.action}
        </Button>
        <p className={styles.more}>
          {t.more} <code>postrider keys create --role viewer</code>
        </p>
      </form>
    </main>
  )
}
