/** The list of messages: newest first, on millions of them, filtered by the address. */
import { ArrowPathIcon, DocumentDuplicateIcon, NoSymbolIcon } from '@heroicons/react/16/solid'
import { Button, Menu, Switch, Tooltip } from '@mantine/core'
import type { Message, MessageFilter, ReplayWrite } from '@postrider/client'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useMemo, useState } from 'react'
import { serverUrl } from '../address.ts'
import { ReleaseHeld } from '../health/release-held.tsx'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { Recipient } from '../names/recipient.tsx'
import { useMessageTitle } from '../names/template-names.ts'
import { SampleCode } from '../parts/code/code.tsx'
import { curlOfList } from '../parts/code/shell.ts'
import { useCopy } from '../parts/copyable.tsx'
import { LinkButton } from '../parts/link-button.tsx'
import { openedFrom, takeLeftRecord } from '../parts/list-return.ts'
import { Page } from '../parts/page.tsx'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { Empty, Loading } from '../parts/states.tsx'
import { MessageStatusTag } from '../parts/status.tsx'
import { statusGroups } from '../parts/status-groups.ts'
import { tablePage } from '../parts/table/paging.ts'
import { type Column, PagedTable } from '../parts/table/table.tsx'
import { Time } from '../parts/time.tsx'
import { Why } from '../parts/why.tsx'
import { useRoomy, useWide } from '../parts/wide.ts'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import { CancelDialog, useAmount } from './cancel-dialog.tsx'
import { type CancelChoice, useCancelable } from './cancel-waiting.ts'
import { Hops, useIntegrationNames } from './hops.tsx'
import { LastDay } from './last-day.tsx'
import { LiveMessages } from './live-messages.tsx'
import { MessageFilters } from './message-filters.tsx'
import { isSentInPart } from './message-hops.ts'
import styles from './messages.module.css'
import { ReplayDialog } from './replay-dialog.tsx'
import { ViewsMenu } from './saved-views.tsx'
import { apiFilters, type MessagesSearch, withoutFilters } from './search.ts'

const PAGE = 50
const NONE: ReadonlySet<string> = new Set()

/** Loaded with the first message that is looked at. */
const MessageBeside = lazy(async () => ({ default: (await import('../message/beside.tsx')).MessageBeside }))

const messagesTexts = texts({
  en: {
    empty: 'No message has been accepted yet',
    send: 'Send a message',
    first: 'Send one from here, or by one call:',
    copyCurl: 'Copy as curl',
    drop: 'Drop the selection',
    close: 'Close the message',
    openShown: 'Open the message of this link',
    noMatch: 'No message matches these filters',
    accepted: 'Accepted',
    via: 'Channel',
    why: 'Error or reason',
    live: 'Live',
    liveHint: 'New messages appear by themselves',
    replay: 'Replay',
    replayChosen: (count: string) => `Replay ${count}`,
    replayHint: 'Choose rows or a filter first',
    cancelChosen: (count: string) => `Cancel ${count}`,
  },
  de: {
    empty: 'Noch wurde keine Nachricht angenommen',
    send: 'Nachricht senden',
    first: 'Von hier aus senden, oder mit einem Aufruf:',
    copyCurl: 'Als curl kopieren',
    drop: 'Auswahl aufheben',
    close: 'Nachricht schließen',
    openShown: 'Nachricht dieses Links öffnen',
    noMatch: 'Keine Nachricht passt zu diesen Filtern',
    accepted: 'Angenommen',
    via: 'Kanal',
    why: 'Fehler oder Grund',
    live: 'Live',
    liveHint: 'Neue Nachrichten erscheinen von selbst',
    replay: 'Wiederholen',
    replayChosen: (count: string) => `${count} wiederholen`,
    replayHint: 'Erst Zeilen oder einen Filter wählen',
    cancelChosen: (count: string) => `${count} abbrechen`,
  },
})

export function MessagesScreen() {
  const t = useTexts(words)
  const labels = useTexts(messagesTexts)
  const search = useSearch({ from: '/messages' })
  const navigate = useNavigate()
  const { canOperate } = usePermissions()
  const [choice, setChoice] = useState<{ of: string; ids: ReadonlySet<string> }>({ of: '', ids: new Set() })
  const [replayed, setReplayed] = useState<ReplayWrite>()
  const [startAt] = useState(takeLeftRecord)
  const isWide = useWide()
  const isRoomy = useRoomy()
  const { live, open: shown, ...conditions } = search
  const key = JSON.stringify(conditions)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time of a preset is that of its choice
  const filters = useMemo(() => apiFilters(conditions, Date.now()), [key])
  const hasFilter = Object.keys(conditions).length > 0
  // Other conditions show other rows, whichever link leads to them.
  const selected = choice.of === key ? choice.ids : NONE
  const setSelected = (ids: ReadonlySet<string>) => setChoice({ of: key, ids })
  const change = (next: MessagesSearch) => void navigate({ to: '/messages', search: next })
  const columns = useColumns()
  const open = ({ id }: Message) =>
    void navigate({ to: '/messages/$messageId', params: { messageId: id }, state: openedFrom('/messages') })
  const toggleLive = () => {
    const { live: _, ...rest } = search
    change(live ? rest : { ...rest, live: true })
  }
  const showBeside = (id: string | undefined) => {
    const { open: _, ...rest } = search
    // The way back closes it, and does not lead through all that was looked at.
    const replace = shown !== undefined && id !== undefined
    void navigate({ to: '/messages', search: id ? { ...rest, open: id } : rest, replace, resetScroll: false })
  }
  const close = () => {
    document.querySelector<HTMLElement>('[role="row"][aria-current]')?.focus()
    showBeside(undefined)
  }
  useShortcuts([
    { keys: 'l', label: labels.liveHint, act: toggleLive },
    ...(selected.size > 0 ? [{ keys: 'Escape', label: labels.drop, act: () => setSelected(NONE) }] : []),
    ...(shown && isWide ? [{ keys: 'Escape', label: labels.close, act: close }] : []),
  ])
  const rows = {
    ...{ open, startAt },
    isNarrow: !isRoomy || shown !== undefined,
    ...(isWide && { show: ({ id }: Message) => showBeside(id), shown }),
    ...(canOperate && { selected, onSelect: setSelected }),
  }
  const chosen: Pick<ReplayWrite, 'filter' | 'message_ids'> | undefined =
    selected.size > 0 ? { message_ids: [...selected] } : hasFilter ? { filter: filters } : undefined
  // They are released first: a replay would send them anew.
  const isHeld = conditions.status?.includes('HELD') === true
  const replay = () => chosen && setReplayed(chosen)
  const replayLabel = selected.size > 0 ? labels.replayChosen(String(selected.size)) : labels.replay
  return (
    <Page
      title={t.messages}
      sentence={<LastDay />}
      panel={
        isWide &&
        shown !== undefined && (
          <Suspense fallback={<Loading rows={8} />}>
            <MessageBeside key={shown} id={shown} close={close} />
          </Suspense>
        )
      }
      actions={
        <>
          <Tooltip label={labels.liveHint}>
            <div className={styles.live}>
              <Switch label={labels.live} checked={live === true} onChange={toggleLive} />
            </div>
          </Tooltip>
          {canOperate && (
            <>
              <CancelButton
                chosen={selected.size > 0 ? chosen : waits(conditions) ? { filter: filters } : undefined}
                done={() => setSelected(new Set())}
              />
              {isHeld ? (
                <ReleaseHeld
                  variant="default"
                  chosen={selected.size > 0 ? { message_ids: [...selected] } : { filter: filters }}
                />
              ) : (
                <Tooltip label={labels.replayHint} disabled={chosen !== undefined}>
                  <Button
                    variant="default"
                    leftSection={<ArrowPathIcon width={14} aria-hidden />}
                    data-disabled={chosen === undefined}
                    aria-disabled={chosen === undefined}
                    onClick={replay}
                  >
                    {replayLabel}
                  </Button>
                </Tooltip>
              )}
            </>
          )}
          <ViewsMenu search={search} show={change}>
            {canOperate && isHeld && (
              <Menu.Item leftSection={<ArrowPathIcon width={14} aria-hidden />} onClick={replay}>
                {replayLabel}
              </Menu.Item>
            )}
            <CopyCommand filters={filters} />
          </ViewsMenu>
        </>
      }
      bar={
        <div className={styles.bar}>
          <MessageFilters search={search} change={change} />
          {!isWide && shown !== undefined && (
            <div>
              <LinkButton to="/messages/$messageId" params={{ messageId: shown }} state={openedFrom('/messages')}>
                {labels.openShown}
              </LinkButton>
            </div>
          )}
        </div>
      }
    >
      {live ? (
        <LiveMessages key={key} label={t.messages} columns={columns} {...rows} filters={filters} />
      ) : (
        <PagedTable
          label={t.messages}
          queryKey={['messages', filters]}
          columns={columns}
          hasLineRows
          idOf={({ id }) => id}
          {...rows}
          load={async (cursor, signal) =>
            tablePage(
              await api.messages.list(
                { ...filters, include: 'providers', limit: PAGE, ...(cursor && { cursor }) },
                { signal },
              ),
            )
          }
          empty={
            hasFilter ? (
              <Empty
                title={labels.noMatch}
                action={
                  <Button variant="default" onClick={() => change(withoutFilters(search))}>
                    {t.clearFilters}
                  </Button>
                }
              />
            ) : (
              <Empty
                title={labels.empty}
                action={<Button renderRoot={(props) => <Link to="/send" {...props} />}>{labels.send}</Button>}
              >
                <p>{labels.first}</p>
                <SampleCode label="curl" code={firstCall()} />
              </Empty>
            )
          }
        />
      )}
      <ReplayDialog chosen={replayed} close={() => setReplayed(undefined)} />
    </Page>
  )
}

const firstCall = () => `curl ${serverUrl}/send \\
  -H "Authorization: Bearer $POSTRIDER_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"event":"welcome","recipient":"ada","profile":{"email":"ada@example.com"},"data":{"name":"Ada"}}'`

function useColumns(): Column<Message>[] {
  const t = useTexts(words)
  const labels = useTexts(messagesTexts)
  const titleOf = useMessageTitle()
  const nameOf = useIntegrationNames()
  return useMemo(
    () => [
      {
        key: 'template',
        title: t.template,
        width: 'minmax(0, 1.5fr)',
        place: 'title',
        cell: (message) => <span title={message.notification}>{titleOf(message)}</span>,
      },
      {
        key: 'recipient',
        title: t.recipient,
        width: 'minmax(0, 1.2fr)',
        place: 'beside',
        cell: ({ recipient, address }) => <Recipient id={recipient} address={address} />,
      },
      {
        key: 'status',
        title: t.status,
        width: '148px',
        place: 'corner',
        cell: (message) => (
          <MessageStatusTag
            status={message.status}
            reason={message.reason}
            isRetrying={message.retry !== undefined}
            isPartial={isSentInPart(message)}
          />
        ),
      },
      {
        key: 'via',
        title: labels.via,
        // Two hops with their symbols and the beginnings of their names.
        width: 'minmax(184px, 1.6fr)',
        cell: (message) => <Hops {...message} nameOf={nameOf} />,
      },
      {
        key: 'why',
        title: labels.why,
        width: 'minmax(0, 2.4fr)',
        place: 'fill',
        cell: (message) => <Why message={message} />,
      },
      {
        key: 'enqueued',
        title: labels.accepted,
        width: '96px',
        place: 'end',
        align: 'end',
        cell: ({ enqueued }) => <Time at={enqueued} />,
      },
    ],
    [t, labels, titleOf, nameOf],
  )
}

/** The call that lists what is shown, for a shell. */
function CopyCommand({ filters }: { filters: MessageFilter }) {
  const labels = useTexts(messagesTexts)
  const t = useTexts(words)
  const { isCopied, copy } = useCopy()
  return (
    <Menu.Item
      leftSection={<DocumentDuplicateIcon width={14} aria-hidden />}
      closeMenuOnClick={false}
      onClick={() => void copy(curlOfList(`${serverUrl}/messages`, { ...filters }))}
    >
      {isCopied ? t.copied : labels.copyCurl}
    </Menu.Item>
  )
}

const WAITING: ReadonlySet<string> = new Set([...statusGroups.waiting, ...statusGroups.held])

/** Whether only messages that wait match. */
const waits = ({ status, retrying }: MessagesSearch): boolean =>
  retrying === true || status?.every((name) => WAITING.has(name)) === true

const CANCELABLE_MS = 5_000

/** There while messages can be canceled, with their number. */
function CancelButton({ chosen, done }: { chosen: CancelChoice | undefined; done(): void }) {
  const labels = useTexts(messagesTexts)
  const amount = useAmount()
  const { data } = useCancelable(chosen, CANCELABLE_MS)
  const [canceled, setCanceled] = useState<CancelChoice>()
  const count = chosen ? (data?.cancelable ?? 0) : 0
  return (
    <>
      {count > 0 && (
        <Button
          variant="default"
          leftSection={<NoSymbolIcon width={14} aria-hidden />}
          onClick={() => setCanceled(chosen)}
        >
          {labels.cancelChosen(amount(count))}
        </Button>
      )}
      <CancelDialog chosen={canceled} close={() => setCanceled(undefined)} done={done} />
    </>
  )
}
