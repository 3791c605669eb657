/** How a sign-in went: the words of the provider, and the settings to correct by their names in the form. */
import type { ProviderTest } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { texts, useTexts } from '../language/language.tsx'
import { Tag } from '../parts/status.tsx'
import { useFormat } from '../parts/time.tsx'
import styles from './integrations.module.css'
import { catalogQuery } from './queries.ts'
import { rejectedSettings } from './settings-problem.ts'

const outcomeTexts = texts({
  en: {
    signIn: 'Sign-in',
    ok: 'The provider accepts the credentials',
    fail: 'The sign-in failed',
    skip: 'Only a message would show it',
    credentials: (names: string) => `Correct ${names}: the provider does not accept them together.`,
    address: (names: string) => `Check ${names}, the name service, and firewalls on the way.`,
    encryption: (security: string, port: string) =>
      `Correct ${security} or ${port}. While ${security} is not chosen, the port decides: TLS on 465, otherwise STARTTLS.`,
    marked: 'They are marked above.',
    open: 'Open the settings',
  },
  de: {
    signIn: 'Anmeldung',
    ok: 'Der Anbieter nimmt die Zugangsdaten an',
    fail: 'Die Anmeldung ist fehlgeschlagen',
    skip: 'Das zeigt erst eine Nachricht',
    credentials: (names: string) => `${names} berichtigen: So nimmt der Anbieter sie nicht an.`,
    address: (names: string) => `${names} prüfen, den Namensdienst und Firewalls auf dem Weg.`,
    encryption: (security: string, port: string) =>
      `${security} oder ${port} berichtigen. Ist ${security} nicht gewählt, entscheidet der Port: TLS auf 465, sonst STARTTLS.`,
    marked: 'Oben sind sie markiert.',
    open: 'Einstellungen öffnen',
  },
})

interface SignInOutcomeProps {
  signIn: ProviderTest['sign_in']
  provider: string
  /** The integration whose settings are elsewhere; absent beside the form that marks them. */
  settingsOf?: string
}

export function SignInOutcome({ signIn, provider, settingsOf }: SignInOutcomeProps) {
  const t = useTexts(outcomeTexts)
  const { duration, list } = useFormat()
  const { data: catalog } = useQuery(catalogQuery)
  const { state, detail, hint, took_ms } = signIn
  const tone = ({ ok: 'good', fail: 'bad', skip: 'quiet' } as const)[state]
  const schema = catalog?.find((entry) => entry.provider === provider)?.settings ?? {}
  const rejected = rejectedSettings(signIn)
  const nameOf = (name: string) => schema[name]?.title ?? name
  const names = list(rejected.map(nameOf))
  // An address is no secret, and credentials have one.
  const isAboutSecrets = rejected.some((name) => schema[name]?.secret)
  // An address is its host; without it the two say how a connection is encrypted.
  const isAboutEncryption = rejected.includes('security') && !rejected.includes('host')
  const remedy = isAboutEncryption
    ? t.encryption(nameOf('security'), nameOf('port'))
    : (isAboutSecrets ? t.credentials : t.address)(names)
  return (
    <div className={styles.note} data-tone={tone} data-test-result={state}>
      <p>
        <Tag tone={tone}>{t.signIn}</Tag> <strong>{t[state]}</strong>
        {took_ms !== undefined && ` · ${duration(took_ms)}`}
      </p>
      <p>{detail}</p>
      {rejected.length === 0 ? (
        hint && <p>{hint}</p>
      ) : (
        <p>
          {remedy}{' '}
          {settingsOf === undefined ? (
            t.marked
          ) : (
            <Link to="/integrations/$id" params={{ id: settingsOf }} search={{ tab: 'settings' }}>
              {t.open}
            </Link>
          )}
        </p>
      )}
    </div>
  )
}
