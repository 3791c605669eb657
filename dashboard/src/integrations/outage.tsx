/** A simulated outage: how the last messages, and one that is typed, would be routed while the chosen integrations are down. */
import { Button, Checkbox, TextInput } from '@mantine/core'
import type { Candidate, Explanation } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useCandidateReason } from '../decisions/decision-texts.ts'
import { integrationKey, integrationsQuery } from '../health/integrations.ts'
import { texts, useTexts } from '../language/language.tsx'
import { channelNames } from '../parts/meanings.ts'
import { Card, Section } from '../parts/page.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Tag } from '../parts/status.tsx'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import styles from './integrations.module.css'
import { inOrder } from './order.ts'
import { OutageDrill } from './outage-drill.tsx'
import type { IntegrationsSearch } from './search.ts'

const outageTexts = texts({
  en: {
    down: 'Which integrations are down?',
    downHint: 'Nothing is sent and no integration is changed.',
    template: 'Template or event',
    templateHint: 'As in a call of send.',
    recipient: 'Recipient',
    recipientHint: 'The id of a user, whose profile and preferences are used.',
    choose: 'Check an integration to see how the last messages would have gone without it.',
    one: 'One message',
    oneHint: 'As it would be sent now.',
    show: 'Show the routing',
    now: 'As it is now',
    during: 'During the outage',
    unavailable: 'down',
    next: 'takes over',
    none: 'No candidate: the message would fail.',
    notTried: 'Not tried',
    broken: 'not called now: its latest calls failed',
    missing: 'Fill in a template and a recipient to see the routing of their message.',
    empty: 'No integrations yet',
    allOff: 'No integration is switched on',
  },
  de: {
    down: 'Welche Integrationen fallen aus?',
    downHint: 'Es wird nichts versendet und keine Integration geändert.',
    template: 'Vorlage oder Ereignis',
    templateHint: 'Wie in einem Aufruf von send.',
    recipient: 'Empfänger',
    recipientHint: 'Die Id eines Nutzers; Profil und Wünsche gelten.',
    choose: 'Wählen Sie eine Integration, um zu sehen, wie die letzten Nachrichten ohne sie gegangen wären.',
    one: 'Eine Nachricht',
    oneHint: 'Wie sie jetzt gesendet würde.',
    show: 'Weg anzeigen',
    now: 'So ist es jetzt',
    during: 'Während des Ausfalls',
    unavailable: 'ausgefallen',
    next: 'springt ein',
    none: 'Kein Weg: Die Nachricht würde scheitern.',
    notTried: 'Nicht versucht',
    broken: 'jetzt nicht aufgerufen: Die letzten Aufrufe scheiterten',
    missing: 'Mit einer Vorlage und einem Empfänger zeigt sich der Weg der Nachricht.',
    empty: 'Noch keine Integrationen',
    allOff: 'Keine Integration ist eingeschaltet',
  },
})

export function Outage() {
  const t = useTexts(outageTexts)
  const search = useSearch({ from: '/integrations' })
  const navigate = useNavigate()
  const { data: integrations, ...query } = useQuery(integrationsQuery)
  const { down = [], template = '', recipient = '' } = search
  // A viewer's key may read, and explain a stored message, but not decide one that is typed.
  const { canEditContent: canExplain } = usePermissions()
  const [input, setInput] = useState({ template, recipient })
  const change = (next: IntegrationsSearch) =>
    void navigate({ to: '/integrations', search: { ...search, ...next }, replace: true })
  const explain = (unavailable: string[]) => ({
    queryKey: [...integrationKey, 'outage', template, recipient, unavailable],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      api.explain({ event: template, recipient }, { unavailable, signal, retries: 0 }),
    enabled: canExplain && template !== '' && recipient !== '',
  })
  const normal = useQuery(explain([]))
  const outage = useQuery(explain(down))
  if (query.isPending) return <Loading />
  if (!integrations) return <Failed error={query.error} retry={query.refetch} />
  if (integrations.length === 0) return <Empty title={t.empty} />
  // Others send nothing that could be missed; one that the address names can be taken out again.
  const choices = inOrder(integrations).filter(
    ({ id, enabled, provider }) => (enabled && provider !== 'mailbox') || down.includes(id),
  )
  if (choices.length === 0) return <Empty title={t.allOff} />
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change({ template: input.template.trim() || undefined, recipient: input.recipient.trim() || undefined })
  }
  const toggle = (id: string) =>
    change({ down: down.includes(id) ? down.filter((other) => other !== id) : [...down, id] })
  const failure = normal.error ?? outage.error
  const broken = new Set(integrations.flatMap(({ id, circuit_breaker: b }) => (b && b.state !== 'closed' ? [id] : [])))
  return (
    <>
      <Section title={t.down} description={t.downHint}>
        <div className={styles.checks}>
          {choices.map(({ id, title, provider }) => (
            <Checkbox
              key={id}
              label={title}
              description={provider}
              checked={down.includes(id)}
              onChange={() => toggle(id)}
            />
          ))}
        </div>
        {down.length === 0 && <p className={styles.dim}>{t.choose}</p>}
      </Section>
      {choices
        .filter(({ id }) => down.includes(id))
        .map(({ id, title }) => (
          <OutageDrill key={id} id={id} title={title} down={down} />
        ))}
      {canExplain && (
        <Section title={t.one} description={t.oneHint}>
          <form className={styles.filters} onSubmit={submit}>
            <TextInput
              className={styles.grow}
              label={t.template}
              description={t.templateHint}
              value={input.template}
              onChange={(event) => setInput({ ...input, template: event.currentTarget.value })}
            />
            <TextInput
              className={styles.grow}
              label={t.recipient}
              description={t.recipientHint}
              value={input.recipient}
              onChange={(event) => setInput({ ...input, recipient: event.currentTarget.value })}
            />
            <Button type="submit" disabled={input.template.trim() === '' || input.recipient.trim() === ''}>
              {t.show}
            </Button>
          </form>
          {failure && <Failed error={failure} />}
          {!failure && (template === '' || recipient === '') && <p className={styles.dim}>{t.missing}</p>}
        </Section>
      )}
      {normal.data && outage.data && (
        <div className={styles.routes}>
          <Routing title={t.now} explanation={normal.data} broken={broken} />
          <Routing title={t.during} explanation={outage.data} before={normal.data} broken={broken} />
        </div>
      )}
    </>
  )
}

interface RoutingProps {
  title: string
  explanation: Explanation
  /** Ids of integrations whose circuit breaker is open: the next one takes their messages now. */
  broken: ReadonlySet<string>
  /** Without the outage. */
  before?: Explanation
}

const keyOf = ({ channel, integration, device }: Candidate) => `${channel} ${integration ?? ''} ${device?.id ?? ''}`

/** The candidates in the order in which they are tried. */
const attemptsOf = (candidates: readonly Candidate[]) =>
  candidates.filter(({ selected }) => selected).toSorted((a, b) => a.order - b.order)

function Routing({ title, explanation: { candidates, decision, steps }, before, broken }: RoutingProps) {
  const t = useTexts(outageTexts)
  const names = useTexts(channelNames)
  const whyNotUsed = useCandidateReason()
  const attempts = attemptsOf(candidates)
  const others = candidates.filter(({ selected }) => !selected)
  const attemptsBefore = attemptsOf(before?.candidates ?? [])
  const keysBefore = new Set(attemptsBefore.map(keyOf))
  const [first] = attempts
  const [firstBefore] = attemptsBefore
  return (
    <Section title={title}>
      <Card>
        {attempts.length === 0 && (
          <div className={styles.note} data-tone="bad">
            {decision.error ?? t.none}
          </div>
        )}
        <ol className={styles.candidates}>
          {attempts.map((candidate, index) => (
            <li key={keyOf(candidate)} data-candidate={candidate.integration}>
              <span className={styles.turn}>{index + 1}</span>
              <strong>{candidate.title ?? candidate.integration}</strong>
              <span className={styles.small}>{names[candidate.channel]}</span>
              {broken.has(candidate.integration ?? '') && <Tag tone="bad">{t.broken}</Tag>}
              {before &&
                (!keysBefore.has(keyOf(candidate)) ||
                  (candidate === first && firstBefore && keyOf(firstBefore) !== keyOf(candidate))) && (
                  <Tag tone="good">{t.next}</Tag>
                )}
            </li>
          ))}
        </ol>
        {others.length > 0 && (
          <>
            <p className={styles.small}>{t.notTried}</p>
            <ol className={styles.candidates} data-dim>
              {others.map((candidate) => (
                <li key={keyOf(candidate)}>
                  {candidate.title ?? candidate.integration ?? ''}
                  <span className={styles.small}>{names[candidate.channel]}</span>
                  {candidate.reason === 'UNAVAILABLE' ? (
                    <Tag tone="bad">{t.unavailable}</Tag>
                  ) : (
                    candidate.reason && <span className={styles.small}>{whyNotUsed(candidate, steps)}</span>
                  )}
                </li>
              ))}
            </ol>
          </>
        )}
      </Card>
    </Section>
  )
}
