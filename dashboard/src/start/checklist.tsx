/** The steps until real messages go out; each checks itself. */
import { CheckIcon } from '@heroicons/react/16/solid'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { texts, useTexts } from '../language/language.tsx'
import { Card, Section } from '../parts/page.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { api } from '../session/api.ts'
import { acceptedStatuses, isSentBy } from './real-send.ts'
import styles from './start.module.css'

const checklistTexts = texts({
  en: {
    title: 'Until real messages go out',
    message: 'A first message',
    messageTo: 'See messages',
    provider: 'A provider for one channel',
    providerTo: 'Add integration',
    template: 'A template of your own',
    templateTo: 'Write a template',
    real: 'A first real send through your provider',
    realTo: 'See integrations',
    done: 'done',
    open: 'not yet',
  },
  de: {
    title: 'Bis echte Nachrichten hinausgehen',
    message: 'Eine erste Nachricht',
    messageTo: 'Nachrichten ansehen',
    provider: 'Ein Anbieter für einen Kanal',
    providerTo: 'Integration hinzufügen',
    template: 'Eine eigene Vorlage',
    templateTo: 'Vorlage schreiben',
    real: 'Eine erste echte Sendung über Ihren Anbieter',
    realTo: 'Integrationen ansehen',
    done: 'erledigt',
    open: 'noch nicht',
  },
})

const steps = [
  { name: 'message', link: 'messageTo', to: '/messages' },
  { name: 'provider', link: 'providerTo', to: '/integrations' },
  { name: 'template', link: 'templateTo', to: '/templates' },
  { name: 'real', link: 'realTo', to: '/integrations' },
] as const
type Step = (typeof steps)[number]['name']

const CHECK_MS = 5_000
/** Newest messages among which one that a real provider accepted is looked for. */
const CANDIDATES_MAX = 50

async function check(signal: AbortSignal): Promise<Record<Step, boolean>> {
  const [messages, providers, templates] = await Promise.all([
    api.messages.list({ limit: 1 }, { signal }),
    api.providers.list({}, { signal }),
    // The first start makes one, and creates as `postrider`.
    api.notifications.list({ limit: 2 }, { signal }),
  ])
  const real = providers.results.filter(({ provider, enabled }) => provider !== 'mailbox' && enabled)
  const keys = [...new Set(real.map(({ provider }) => provider))]
  const realMessages =
    keys.length === 0
      ? []
      : (
          await api.messages.list(
            { provider: keys, status: acceptedStatuses, include: 'providers', limit: CANDIDATES_MAX },
            { signal },
          )
        ).results
  return {
    message: messages.results.length > 0,
    provider: real.length > 0,
    template: templates.results.length > 1,
    // A message that failed over to the mailbox has a delivery of the real provider, too.
    real: realMessages.some(({ providers: deliveries }) => isSentBy(keys, deliveries ?? [])),
  }
}

const isWholeList = (done: Record<Step, boolean>) => Object.values(done).every((isDone) => isDone)

function useChecklist() {
  return useQuery({
    queryKey: ['start', 'checklist'],
    queryFn: ({ signal }) => check(signal),
    refetchInterval: ({ state }) => (state.data && isWholeList(state.data) ? false : CHECK_MS),
  })
}

/** How far a new installation has come; `unknown` until it is read. */
export function useFirstSteps(): 'unknown' | 'nothing sent' | 'sent' | 'done' {
  const { data, isError } = useChecklist()
  if (!data) return isError ? 'nothing sent' : 'unknown'
  return isWholeList(data) ? 'done' : data.message ? 'sent' : 'nothing sent'
}

export function Checklist() {
  const t = useTexts(checklistTexts)
  const { data, error, refetch } = useChecklist()
  return (
    <Section title={t.title}>
      {!data ? (
        error ? (
          <Failed error={error} retry={refetch} />
        ) : (
          <Loading rows={4} />
        )
      ) : (
        <Card padded={false}>
          <ul className={styles.checklist}>
            {steps.map(({ name, link, to }) => (
              <li key={name} data-done={data[name]}>
                <span className={styles.mark}>{data[name] && <CheckIcon aria-hidden />}</span>
                <span>
                  {t[name]} <span className="visually-hidden">{data[name] ? t.done : t.open}</span>
                </span>
                <Link to={to} preload={false}>
                  {t[link]}
                </Link>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </Section>
  )
}
