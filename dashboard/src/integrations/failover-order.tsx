/** The integrations of each channel in the order in which they are tried, with their health of a day. */
import { ArrowDownIcon, ArrowUpIcon } from '@heroicons/react/20/solid'
import { ActionIcon, Button } from '@mantine/core'
import type { Integration } from '@postrider/client'
import { useNavigate } from '@tanstack/react-router'
import { integrationKey } from '../health/integrations.ts'
import { texts, useTexts } from '../language/language.tsx'
import { useAction, useConfirm } from '../parts/confirm.tsx'
import { channelNames, channels } from '../parts/meanings.ts'
import { Card, Section } from '../parts/page.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { useFormat } from '../parts/time.tsx'
import { usePermissions } from '../session/session.tsx'
import { changeIntegration } from './change.ts'
import { calledNow, triedIn, turnNumbers, weightsIn } from './channel-routes.ts'
import styles from './integrations.module.css'
import { effectsOfMove, type PriorityChange, placesOf, prioritiesToMove } from './order.ts'
import { PlaceRow } from './place-row.tsx'
import { useRoutedIntegrations } from './queries.ts'

const orderTexts = texts({
  en: {
    empty: 'No integrations yet',
    emptyText: 'An integration is a provider with your credentials: SMTP for mail, Twilio for SMS, and others.',
    catalog: 'Open the catalog',
    earlier: (title: string) => `Try ${title} earlier`,
    later: (title: string) => `Try ${title} later`,
    moved: (title: string) => `${title} was moved. The order holds for messages from now on.`,
    moveTitle: (title: string) => `Move ${title}`,
    otherChannels: (channels: string) =>
      `The order has one priority for all channels: it changes for ${channels}, too.`,
    closesBreaker: (titles: string) =>
      `${titles} is not called now, because its latest calls failed. A change of its settings ends that: it is called again at once.`,
    last: 'After the last one, a message goes to its next channel or fails. Before that, failed calls are repeated.',
    sandboxTitle: 'Channels without a provider',
    sandboxText: (channels: string) => `${channels}: until an integration is added, messages stay in the mailbox.`,
    noRoute: 'No integration is switched on: messages to this channel fail.',
  },
  de: {
    empty: 'Noch keine Integrationen',
    emptyText: 'Eine Integration ist ein Anbieter mit Ihren Zugangsdaten: SMTP für E-Mail, Twilio für SMS und andere.',
    catalog: 'Katalog öffnen',
    earlier: (title: string) => `${title} früher versuchen`,
    later: (title: string) => `${title} später versuchen`,
    moved: (title: string) => `${title} ist verschoben. Die Reihenfolge gilt ab jetzt.`,
    moveTitle: (title: string) => `${title} verschieben`,
    otherChannels: (channels: string) =>
      `Der Rang gilt für alle Kanäle: Die Reihenfolge ändert sich auch für ${channels}.`,
    closesBreaker: (titles: string) =>
      `${titles} wird gerade nicht aufgerufen, weil die letzten Aufrufe scheiterten. Jede Änderung beendet das: Die Aufrufe beginnen sofort wieder.`,
    last: 'Nach der letzten geht eine Nachricht zum nächsten Kanal oder scheitert. Zuvor werden Aufrufe wiederholt.',
    sandboxTitle: 'Kanäle ohne Anbieter',
    sandboxText: (channels: string) => `${channels}: Bis eine Integration hinzukommt, bleiben Nachrichten im Postfach.`,
    noRoute: 'Keine Integration ist eingeschaltet: Nachrichten an diesen Kanal scheitern.',
  },
})

interface Move {
  integration: Integration
  changes: readonly PriorityChange[]
  before: readonly PriorityChange[]
}

export function FailoverOrder() {
  const t = useTexts(orderTexts)
  const names = useTexts(channelNames)
  const { canConnect } = usePermissions()
  const confirm = useConfirm()
  const { list } = useFormat()
  const { data: integrations, ...query } = useRoutedIntegrations()
  const apply = async (changes: readonly PriorityChange[]) => {
    // One after the other: the API changes one integration a call.
    for (const { id, priority } of changes) {
      const integration = integrations?.find((candidate) => candidate.id === id)
      if (integration) await changeIntegration(integration, { priority })
    }
  }
  const move = useAction({
    act: ({ changes }: Move) => apply(changes),
    done: (_result, { integration }) => t.moved(integration.title),
    undo: (_result, { before }) => apply(before),
    changes: [integrationKey],
    isInSteps: true,
  })
  if (query.isPending) return <Loading />
  if (!integrations) return <Failed error={query.error} retry={query.refetch} />
  if (integrations.length === 0) return <NoIntegrations />
  const realChannels = channels.filter((channel) => !isSandboxOnly(integrations, channel))
  const moveBeside = async (
    channel: Integration['channel'],
    integration: Integration,
    side: 'before' | 'after',
    other: Integration,
  ) => {
    const changes = prioritiesToMove(integrations, integration.id, side, other.id)
    const before = changes.flatMap(({ id }) => {
      const { priority } = integrations.find((candidate) => candidate.id === id) ?? {}
      return priority === undefined ? [] : [{ id, priority }]
    })
    const effects = effectsOfMove(integrations, changes, channel)
    const notes = [
      effects.channels.length > 0 &&
        t.otherChannels(
          list(effects.channels.map((name) => (name in names ? names[name as keyof typeof names] : name))),
        ),
      effects.closed.length > 0 && t.closesBreaker(list(effects.closed.map(({ title }) => title))),
    ].filter((note) => note !== false)
    const isConfirmed =
      notes.length === 0 ||
      (await confirm({
        title: t.moveTitle(integration.title),
        text: notes.map((note) => <p key={note}>{note}</p>),
        action: t.moveTitle(integration.title),
      }))
    if (isConfirmed) move.mutate({ integration, changes, before })
  }
  return (
    <>
      {realChannels.length > 0 && <p className={styles.last}>{t.last}</p>}
      {realChannels.map((channel) => {
        const places = placesOf(integrations, channel).filter(({ turn }) => turn !== 'sandbox_skipped')
        const tried = triedIn(integrations, channel)
        const attemptCount = tried.length
        const numbers = turnNumbers(tried)
        const total = weightsIn(tried)
        const { turns, skipped } = calledNow(tried)
        return (
          <Section key={channel} title={names[channel]}>
            {attemptCount === 0 && (
              <div className={styles.note} data-tone="warn">
                {t.noRoute}
              </div>
            )}
            <Card padded={false}>
              <ol className={styles.order}>
                {places.map(({ integration, turn }, index) => {
                  const previous = turn === 'tried' && index > 0 ? places[index - 1] : undefined
                  const next = turn === 'tried' && index < attemptCount - 1 ? places[index + 1] : undefined
                  return (
                    <PlaceRow
                      key={integration.id}
                      {...{ integration, turn, total }}
                      number={numbers.get(integration.id)}
                      standsInFor={turns[0]?.includes(integration) ? skipped : []}
                    >
                      {canConnect && attemptCount > 1 && turn === 'tried' && (
                        <span className={styles.moves}>
                          <ActionIcon
                            variant="default"
                            aria-label={t.earlier(integration.title)}
                            title={t.earlier(integration.title)}
                            disabled={!previous || move.isPending}
                            onClick={() =>
                              previous && void moveBeside(channel, integration, 'before', previous.integration)
                            }
                          >
                            <ArrowUpIcon width={16} aria-hidden />
                          </ActionIcon>
                          <ActionIcon
                            variant="default"
                            aria-label={t.later(integration.title)}
                            title={t.later(integration.title)}
                            disabled={!next || move.isPending}
                            onClick={() => next && void moveBeside(channel, integration, 'after', next.integration)}
                          >
                            <ArrowDownIcon width={16} aria-hidden />
                          </ActionIcon>
                        </span>
                      )}
                    </PlaceRow>
                  )
                })}
              </ol>
            </Card>
          </Section>
        )
      })}
      <Sandboxes integrations={integrations} />
    </>
  )
}

/** Also without any integration: nothing is said of a channel that nothing serves. */
const isSandboxOnly = (integrations: readonly Integration[], channel: Integration['channel']) =>
  placesOf(integrations, channel).every(
    ({ integration, turn }) => integration.provider === 'mailbox' && turn === 'tried',
  )

function NoIntegrations() {
  const t = useTexts(orderTexts)
  const navigate = useNavigate()
  return (
    <Empty
      title={t.empty}
      action={
        <Button onClick={() => void navigate({ to: '/integrations', search: { tab: 'catalog' } })}>{t.catalog}</Button>
      }
    >
      {t.emptyText}
    </Empty>
  )
}

/** The channels whose messages stay in the mailbox. */
function Sandboxes({ integrations }: { integrations: readonly Integration[] }) {
  const t = useTexts(orderTexts)
  const names = useTexts(channelNames)
  const { list } = useFormat()
  const served = channels.filter(
    (channel) => placesOf(integrations, channel).length > 0 && isSandboxOnly(integrations, channel),
  )
  const sandboxes = integrations.filter(({ provider, enabled }) => provider === 'mailbox' && enabled)
  if (served.length === 0) return null
  return (
    <Section title={t.sandboxTitle} description={t.sandboxText(list(served.map((name) => names[name])))}>
      <Card padded={false}>
        <ol className={styles.order}>
          {sandboxes.map((integration, index) => (
            <PlaceRow key={integration.id} {...{ integration, turn: 'tried', number: index + 1 }} />
          ))}
        </ol>
      </Card>
    </Section>
  )
}
