/** One item of the mailbox as its recipient would have seen it. */
import { Tabs } from '@mantine/core'
import type { MailboxItem as Item } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { Recipient } from '../names/recipient.tsx'
import { isAnonymous } from '../names/recipient-ids.ts'
import { Channel } from '../parts/channel.tsx'
import { JsonView, SampleCode } from '../parts/code/code.tsx'
import { MailControls, MailStage, type MailView } from '../parts/content/mail-frame.tsx'
import { PlainText, RenderedContent } from '../parts/content/rendered-content.tsx'
import { CopyableId } from '../parts/copyable.tsx'
import { LinkButton } from '../parts/link-button.tsx'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { TabList } from '../parts/tab-bar.tsx'
import { Time } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { contentOf, headersOf, linksOf, titleOf } from './content.ts'
import styles from './mailbox.module.css'
import { type MailboxPart, type MailboxSearch, mailboxParts } from './search.ts'

const itemTexts = texts({
  en: {
    back: 'Back to the list',
    message: 'The message',
    untitled: 'Without a title',
    channel: 'Channel',
    to: 'To',
    for: 'Recipient',
    caught: 'Caught',
    headers: 'Headers',
    parts: 'Part',
    html: 'HTML',
    shown: 'As it is shown',
    text: 'Text',
    links: 'Links',
    source: 'Source',
    request: 'Captured request',
    phone: 'Phone width',
    dark: 'Dark mail',
    noLinks: 'It has no links.',
    linksHint: 'Links in the mail do nothing here. These open on purpose, in a new tab.',
    quiet: 'Looking at a mail counts no open, and loads nothing from elsewhere.',
    step: 'next and previous.',
    steps: 'next and previous,',
    width: 'phone,',
    colors: 'dark.',
  },
  de: {
    back: 'Zurück zur Liste',
    message: 'Die Nachricht',
    untitled: 'Ohne Titel',
    channel: 'Kanal',
    to: 'An',
    for: 'Empfänger',
    caught: 'Aufgefangen',
    headers: 'Kopfzeilen',
    parts: 'Teil',
    html: 'HTML',
    shown: 'Wie gezeigt',
    text: 'Text',
    links: 'Links',
    source: 'Quelltext',
    request: 'Aufgefangener Aufruf',
    phone: 'Breite eines Telefons',
    dark: 'Dunkle Mail',
    noLinks: 'Sie enthält keine Links.',
    linksHint: 'Links in der Mail tun hier nichts. Diese öffnen sich mit Absicht, in einem neuen Tab.',
    quiet: 'Eine Mail anzusehen zählt nicht als Öffnen und lädt nichts von außen.',
    step: 'nächste und vorige.',
    steps: 'nächste und vorige,',
    width: 'Telefon,',
    colors: 'dunkel.',
  },
})

interface MailboxItemProps {
  id: string
  search: MailboxSearch
  /** It holds for the next mail, too. */
  view: MailView
}

export function MailboxItem({ id, search, view }: MailboxItemProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['mailbox', 'item', id],
    queryFn: ({ signal }) => api.mailbox.get(id, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (!data) return error ? <Failed error={error} retry={refetch} /> : <Loading rows={6} />
  return <CaughtItem item={data} search={search} view={view} />
}

function CaughtItem({ item, search, view: shownView }: Omit<MailboxItemProps, 'id'> & { item: Item }) {
  const t = useTexts(itemTexts)
  const navigate = useNavigate()
  // Pictures are shown of this mail alone: they tell their server who reads.
  const [hasImages, setImages] = useState(false)
  const view: MailView = {
    ...{ ...shownView, hasImages },
    change: ({ hasImages: images = hasImages, ...others }) => {
      setImages(images)
      shownView.change(others)
    },
  }
  const content = contentOf(item)
  const { html } = content
  const parts = mailboxParts.filter((part) => part !== 'source' || html)
  const part = parts.find((each) => each === search.part) ?? 'shown'
  const params = { messageId: item.message_id }
  const isMail = part === 'shown' && Boolean(html)
  useShortcuts([
    { keys: 'm', label: t.message, act: () => void navigate({ to: '/messages/$messageId', params }) },
    ...(isMail
      ? [
          {
            keys: 'p',
            label: t.phone,
            act: () => view.change({ width: view.width === 'phone' ? 'desktop' : 'phone' }),
          },
          { keys: 'd', label: t.dark, act: () => view.change({ scheme: view.scheme === 'dark' ? 'light' : 'dark' }) },
        ]
      : []),
  ])
  const show = (next: string | null) =>
    void navigate({
      to: '/mailbox/$itemId',
      params: { itemId: item.id },
      search: { ...search, part: next as MailboxPart },
      replace: true,
      resetScroll: false,
    })
  return (
    <article>
      <Link className={styles.back} to="/mailbox" search={search}>
        {t.back}
      </Link>
      <header className={styles.itemHead}>
        <h2>{titleOf(content) || t.untitled}</h2>
        <LinkButton to="/messages/$messageId" params={params}>
          {t.message} <kbd aria-hidden>M</kbd>
        </LinkButton>
      </header>
      <ItemFacts item={item} to={content.to} />
      <Tabs value={part} keepMounted={false} onChange={show}>
        <div className={styles.controls}>
          <TabList
            label={t.parts}
            tabs={parts.map((name) => ({ name, title: name === 'shown' && html ? t.html : t[name] }))}
            value={part}
          />
          {isMail && <MailControls view={view} />}
        </div>
        <Tabs.Panel value="shown">{html ? <MailStage html={html} view={view} /> : <Shown item={item} />}</Tabs.Panel>
        <Tabs.Panel value="text">
          <PlainText text={content.text || content.body || ''} />
        </Tabs.Panel>
        <Tabs.Panel value="links">
          <Links html={html} text={content.text} />
        </Tabs.Panel>
        <Tabs.Panel value="source">
          <SampleCode label={t.source} code={html ?? ''} />
        </Tabs.Panel>
        <Tabs.Panel value="request">
          <JsonView label={t.request} value={item} />
        </Tabs.Panel>
      </Tabs>
      <p className={styles.hint}>
        {!hasImages && t.quiet}{' '}
        <span className={styles.keys}>
          <kbd>j</kbd> <kbd>k</kbd> {isMail ? t.steps : t.step}{' '}
          {isMail && (
            <>
              <kbd>p</kbd> {t.width} <kbd>d</kbd> {t.colors}
            </>
          )}
        </span>
      </p>
    </article>
  )
}

function ItemFacts({ item, to }: { item: Item; to: string | undefined }) {
  const t = useTexts(itemTexts)
  const headers = headersOf(item)
  return (
    <dl className={styles.facts}>
      <dt>{t.channel}</dt>
      <dd>
        <Channel channel={item.channel} />
      </dd>
      {to === undefined ? (
        <>
          <dt>{t.for}</dt>
          <dd>
            <Recipient id={item.recipient} />
          </dd>
        </>
      ) : (
        <>
          <dt>{t.to}</dt>
          <dd>
            {to}
            {!isAnonymous(item.recipient) && (
              <>
                {' '}
                <span className={styles.quiet}>{t.for}</span> <Recipient id={item.recipient} />
              </>
            )}
          </dd>
        </>
      )}
      <dt>{t.caught}</dt>
      <dd className={styles.caught}>
        <Time at={item.received} exact />
        <CopyableId id={item.id} />
      </dd>
      {headers.length > 0 && (
        <>
          <dt>{t.headers}</dt>
          <dd className={styles.headers}>
            {headers.map(([name, value], at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a name can stand twice, and the order stays
              <code key={at}>
                {name}: {value}
              </code>
            ))}
          </dd>
        </>
      )}
    </dl>
  )
}

/** An SMS has what carriers count, which the message knows. */
function Shown({ item }: { item: Item }) {
  const { data: sms } = useQuery({
    queryKey: ['mailbox', 'sms', item.id],
    enabled: item.channel === 'sms',
    queryFn: async ({ signal }) => {
      const { rendered } = await api.messages.explain(item.message_id, {}, { signal })
      return rendered.find(({ channel }) => channel === 'sms')?.content.sms ?? null
    },
  })
  return <RenderedContent message={{ ...contentOf(item), ...(sms && { sms }) }} />
}

function Links({ html, text }: { html: string | undefined; text: string | undefined }) {
  const t = useTexts(itemTexts)
  const links = linksOf(html, text)
  return (
    <>
      <p className={styles.hint}>{links.length === 0 ? t.noLinks : t.linksHint}</p>
      <ul className={styles.links}>
        {links.map(({ href, label }) => (
          <li key={href}>
            {label && <div>{label}</div>}
            <a href={href} target="_blank" rel="noreferrer noopener">
              {href}
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}
