/** A send: where it would go while it is filled in, and its outcome once it is made. */
import { PaperAirplaneIcon } from '@heroicons/react/24/outline'
import { Button, type ButtonProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { isPostriderError, type MessageSendBody } from '@postrider/client'
import { keepPreviousData, queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { serverUrl } from '../address.ts'
import { ForecastSentence } from '../decisions/sentence.tsx'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { useUsers } from '../names/users.ts'
import { CodeText } from '../parts/code/code-text.tsx'
import { focusIncompleteJson } from '../parts/code/json-input.tsx'
import { curlOf, typescriptOf } from '../parts/code/send-samples.ts'
import { useAction } from '../parts/confirm.tsx'
import { useCopy } from '../parts/copyable.tsx'
import { Page } from '../parts/page.tsx'
import { present } from '../parts/search-params.ts'
import { keyName, useShortcuts } from '../parts/shortcuts.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { api } from '../session/api.ts'
import { usePermissions, useSession } from '../session/session.tsx'
import { Forecast } from './forecast.tsx'
import { bodyOf, noContact, recipientOf, type SendForm } from './form.ts'
import { kept, leftSend, useLeaving } from './kept-send.ts'
import { Outcome } from './outcome.tsx'
import styles from './send.module.css'
import { SendFields } from './send-fields.tsx'
import { optionsOf, type StoredSend, storedSend } from './stored-send.ts'

const TYPED_MS = 300
const SEND_KEYS = 'mod+enter'

const sendTexts = texts({
  en: {
    title: 'Send',
    published: (key: string) => `The key \`${key}\` is a published key: a send goes out.`,
    draft: (key: string) => `The key \`${key}\` is a draft key: a send goes out with the drafts of templates.`,
    mock: (key: string) =>
      `The key \`${key}\` is a mock key: a send is decided and rendered, and no provider is called.`,
    viewer: 'This key cannot send',
    viewerText: 'A send is explained to the roles editor and full, and made by the role full.',
    editor:
      'This key explains a send and cannot make it. An editor sends with a mock key: postrider keys create --kind mock --role editor',
    nothing: 'Name a template and a recipient to see where the message would go.',
    asTyped: (ms: string) => `Decided as you type, in ${ms}. Nothing is stored, and no provider is called.`,
    would: 'The decision before the send',
    kept: 'The form is kept, and explained once the server answers.',
    notSent: 'Not sent. The form is kept: send it again once the server answers.',
    send: 'Send message',
    sendTo: (to: string) => `Send to ${to}`,
    sendToUnknown: (to: string) => `Send to ${to}, without a profile`,
    once: 'With an `Idempotency-Key` of this form: a second press is the same message.',
    curl: 'Copy as curl',
  },
  de: {
    title: 'Senden',
    published: (key: string) => `Der Schlüssel \`${key}\` hat vollen Zugriff (published): Eine Sendung geht hinaus.`,
    draft: (key: string) =>
      `Der Schlüssel \`${key}\` ist ein Draft-Schlüssel: Eine Sendung geht mit den Entwürfen der Vorlagen hinaus.`,
    mock: (key: string) =>
      `Der Schlüssel \`${key}\` ist ein Mock-Schlüssel: Eine Sendung wird entschieden und dargestellt, kein Anbieter wird aufgerufen.`,
    viewer: 'Dieser Schlüssel kann nicht senden',
    viewerText: 'Eine Sendung wird den Rollen Editor und Full erklärt; senden kann die Rolle Full.',
    editor:
      'Dieser Schlüssel erklärt eine Sendung und kann sie nicht ausführen. Die Rolle Editor sendet mit einem Mock-Schlüssel: postrider keys create --kind mock --role editor',
    nothing: 'Eine Vorlage und einen Empfänger nennen: Dann steht hier, wohin die Nachricht ginge.',
    asTyped: (ms: string) => `Beim Tippen entschieden, in ${ms}. Nichts wird gespeichert, kein Anbieter aufgerufen.`,
    would: 'Die Entscheidung vor der Sendung',
    kept: 'Das Formular bleibt, und wird erklärt, sobald der Server antwortet.',
    notSent: 'Nicht gesendet. Das Formular bleibt: noch einmal senden, sobald der Server antwortet.',
    send: 'Nachricht senden',
    sendTo: (to: string) => `An ${to} senden`,
    sendToUnknown: (to: string) => `An ${to} senden, ohne Profil`,
    once: 'Mit einem `Idempotency-Key` dieses Formulars: Ein zweiter Druck ist dieselbe Nachricht.',
    curl: 'Als curl kopieren',
  },
})

export function SendScreen() {
  const t = useTexts(sendTexts)
  const { canEditContent, canTest } = usePermissions()
  const { key, kind } = useSession()
  const { message, contact = 'sent' } = useSearch({ from: '/send' })
  const origin = useQuery({
    ...storedSendQuery(message ?? '', contact),
    enabled: message !== undefined && canEditContent,
  })
  if (!canEditContent)
    return (
      <Page title={t.title}>
        <Empty title={t.viewer}>{t.viewerText}</Empty>
      </Page>
    )
  return (
    <Page
      title={t.title}
      isTitleSmall
      {...(canTest
        ? {
            actions: (
              <p className={styles.key}>
                <CodeText text={t[kind](key.name)} />
              </p>
            ),
          }
        : { description: <CodeText text={t.editor} /> })}
    >
      {message === undefined || origin.data ? (
        <Desk filled={origin.data} />
      ) : origin.isError ? (
        <Failed error={origin.error} retry={origin.refetch} />
      ) : (
        <Loading rows={8} />
      )}
    </Page>
  )
}

/** `contact`: the addresses of the send, or those that are stored for its user. */
const storedSendQuery = (id: string, contact: 'sent' | 'stored') =>
  queryOptions({
    queryKey: ['send', 'of-message', id, contact],
    queryFn: async ({ signal }): Promise<StoredSend> => {
      const [message, { results: history }, explanation] = await Promise.all([
        api.messages.get(id, { signal }),
        api.messages.history(id, { type: 'ENQUEUED' }, { signal }),
        api.messages.explain(id, {}, { signal }),
      ])
      const send = storedSend({ message, history, explanation }, contact)
      const isUser = send.form.to === message.recipient
      const body = bodyOf(send.form, isUser)
      const plain = body && (await api.explain(body, { signal }))
      if (!plain) return send
      return { ...send, form: { ...send.form, options: { ...send.form.options, ...optionsOf(explanation, plain) } } }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

const namesOf = ({ event, to, tenant }: Pick<SendForm, 'event' | 'to' | 'tenant'>) =>
  JSON.stringify([event.trim(), to.trim(), tenant.trim()])

/**
 * The form; the address names its template, its recipient and its tenant, or the message that fills it until it is
 * edited. The rest is in the history of the browser, which a reload and the way back read.
 */
function useForm(filled: SendForm | undefined) {
  const { event = '', to = '', tenant = '', message } = useSearch({ from: '/send' })
  const navigate = useNavigate()
  const router = useRouter()
  const { key, environment } = useSession()
  const by = `${environment} ${key.id}`
  const ofEntry = useLocation({ select: ({ state }) => leftSend(state.__TSR_key) ?? state.send })
  const blank: SendForm = { event, to, tenant, tags: '', options: {}, contact: noContact, data: {} }
  const before = ofEntry?.by === by ? { ...ofEntry, form: { ...blank, ...ofEntry.form } } : undefined
  const [form, setForm] = useState<SendForm>(before?.form ?? filled ?? blank)
  const [typed] = useDebouncedValue(JSON.stringify(form), TYPED_MS)
  const written = useRef(form)
  const sent = useRef(before?.sent)
  /** The reply to it is not known: the next press, after a reload as well, must be the same message. */
  const isInDoubt = useRef(before?.sent !== undefined)
  const keptNow = useCallback(
    (next: SendForm) => kept({ by, form: next, ...(isInDoubt.current && { sent: sent.current }) }),
    [by],
  )
  const write = useCallback(
    (next: SendForm, isAddressOld = namesOf(next) !== namesOf(written.current)) => {
      const [nextEvent, nextTo, nextTenant] = JSON.parse(namesOf(next)) as string[]
      const names = { event: nextEvent || undefined, to: nextTo || undefined, tenant: nextTenant || undefined }
      written.current = next
      // Another screen was chosen meanwhile: this one must not take its place.
      if (!router.latestLocation.pathname.endsWith('/send')) return
      void navigate({
        to: '/send',
        search: isAddressOld ? present(names) : true,
        state: { send: keptNow(next) },
        replace: true,
        resetScroll: false,
      })
    },
    [navigate, router, keptNow],
  )
  useEffect(() => {
    if (typed !== JSON.stringify(written.current)) write(JSON.parse(typed) as SendForm)
  }, [typed, write])
  useLeaving(JSON.stringify(form) === JSON.stringify(written.current) ? undefined : keptNow(form))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state of an entry is read when its address is shown
  useEffect(() => {
    // Another address than the one that the form wrote: a link, or the way back.
    if (message !== undefined || namesOf(blank) === namesOf(written.current)) return
    // Data that was typed for another recipient does not go to this one.
    written.current = before?.form ?? blank
    sent.current = before?.sent
    isInDoubt.current = sent.current !== undefined
    setForm(written.current)
  }, [event, to, tenant, message])
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the entry is opened
  useEffect(() => {
    if (leftSend(router.latestLocation.state.__TSR_key)) write(written.current, message === undefined)
  }, [])
  return {
    form,
    change: (changes: Partial<SendForm>) => setForm((latest) => ({ ...latest, ...changes })),
    keyFor(json: string) {
      if (sent.current?.json !== json) sent.current = { json, idempotencyKey: `dashboard-${randomText()}` }
      isInDoubt.current = true
      write(written.current)
      return sent.current.idempotencyKey
    },
    /** From now on only a second press on this page is the same message. */
    answered() {
      isInDoubt.current = false
      write(written.current)
    },
    /** The next press is another message. */
    renewKey() {
      sent.current = undefined
      write(written.current)
    },
  }
}

/** The body as it is now, and its explanation, which follows the typing. */
function useExplanation(form: SendForm) {
  const to = form.to.trim()
  const [searched] = useDebouncedValue(to, TYPED_MS)
  const users = useUsers(searched)
  const user = users.data?.find(({ id }) => id === to)
  const body = bodyOf(form, user !== undefined)
  const json = body && JSON.stringify(body)
  const [settled] = useDebouncedValue(json, TYPED_MS)
  /** Whether the text is an id is known, or cannot be known now. */
  const isKnown = searched === to && (users.isError || (users.isSuccess && !users.isPlaceholderData))
  const query = useQuery({
    queryKey: ['send', 'explanation', settled],
    enabled: settled !== undefined && isKnown,
    queryFn: async ({ signal }) => {
      const began = performance.now()
      const explanation = await api.explain(JSON.parse(settled ?? '{}') as MessageSendBody, { signal, retries: 0 })
      return { explanation, ms: performance.now() - began, to: user?.name ?? to }
    },
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 0,
    gcTime: 30_000,
  })
  // A send that cannot be explained now keeps the fields of the one before.
  const latest = useRef(query.data)
  if (query.data) latest.current = query.data
  const isStale = json !== settled || !isKnown || query.isPlaceholderData || query.isPending
  // Also while it is tried again.
  const isDown = useRef(false)
  if (query.isError) isDown.current = isUnanswered(query.error)
  else if (query.isSuccess && !query.isPlaceholderData) isDown.current = false
  return {
    ...{ body, json, user, isUserUnread: users.isError, isKnown, query, isStale },
    ...{ latest: latest.current, isDown: isDown.current },
  }
}

/** Neither the server nor, for a proxy, what is behind it has answered. */
const isUnanswered = (error: unknown) => isPostriderError(error) && (error.status === undefined || error.status > 500)

/** `filled`: the form at first, instead of the address, which then follows it. */
function Desk({ filled }: { filled: StoredSend | undefined }) {
  const t = useTexts(sendTexts)
  const { form, change, keyFor, answered, renewKey } = useForm(filled?.form)
  const { body, json, user, isUserUnread, isKnown, query, latest, isStale, isDown } = useExplanation(form)
  const [sent, setSent] = useState<Sent>()
  const button = useRef<HTMLButtonElement>(null)
  const isSent = sent !== undefined && sent.json === json
  const typed = JSON.stringify(form)
  /** The form whose send has not gone out, as the server did not answer. */
  const [unsent, setUnsent] = useState<string>()
  return (
    <>
      <div className={styles.say} data-stale={isStale} aria-live="polite" aria-busy={isStale && body !== undefined}>
        {isSent ? (
          <Outcome
            id={sent.id}
            again={() => {
              renewKey()
              setSent(undefined)
              button.current?.focus()
            }}
          />
        ) : body && isDown ? (
          // The bar of the shell says that the server does not answer.
          <p className={styles.nothing}>{unsent === typed ? t.notSent : t.kept}</p>
        ) : body && query.isError ? (
          <Failed error={query.error} retry={query.refetch} />
        ) : body && latest ? (
          <>
            <ForecastSentence explanation={latest.explanation} to={latest.to} />
            <p className={styles.took}>{t.asTyped(`${Math.max(1, Math.round(latest.ms))} ms`)}</p>
          </>
        ) : body ? (
          <Loading rows={2} />
        ) : (
          <p className={styles.nothing}>{t.nothing}</p>
        )}
      </div>
      <div className={styles.desk}>
        <form
          className={styles.form}
          aria-label={t.title}
          data-skip-target
          onSubmit={(event) => event.preventDefault()}
        >
          <SendFields {...{ form, change, user, isUserUnread, filled }} explanation={latest?.explanation} />
          <Actions
            {...{ body, json, button, keyFor }}
            setSent={(next) => {
              answered()
              setSent(next)
            }}
            typed={typed}
            to={user?.name ?? form.to.trim()}
            isUnknown={isKnown && !user && !isUserUnread && 'user_id' in recipientOf(form.to.trim(), false)}
            isReady={!isStale}
            {...{ isDown, query, setUnsent }}
          />
        </form>
        <section className={styles.forecast} aria-label={t.would}>
          {body && latest && <Forecast explanation={latest.explanation} />}
        </section>
      </div>
    </>
  )
}

/** A body that was sent, and its message. */
interface Sent {
  json: string
  id: string
}

interface ActionsProps {
  body: MessageSendBody | undefined
  json: string | undefined
  to: string
  /** It is an id without a stored profile, perhaps half of one that is being typed. */
  isUnknown: boolean
  /** The form as text. */
  typed: string
  /** The body is the one that is explained, or that cannot be explained now. */
  isReady: boolean
  /** The server does not answer: its explanation is read again before a send. */
  isDown: boolean
  query: Pick<UseQueryResult, 'refetch' | 'errorUpdatedAt'>
  setUnsent(typed: string | undefined): void
  /**
   * The idempotency key of a body: a second press is the same message, also where the reply to the first was lost.
   * Another body has another key.
   */
  keyFor(json: string): string
  setSent(sent: Sent): void
  button: RefObject<HTMLButtonElement | null>
}

function Actions({ body, json, to, isUnknown, typed, isReady, keyFor, setSent, button, ...server }: ActionsProps) {
  const { isDown, query, setUnsent } = server
  const t = useTexts(sendTexts)
  const { canTest } = usePermissions()
  const send = useAction({
    act: async ({ message }: { message: string }) => {
      const sentBody = JSON.parse(message) as MessageSendBody
      return { id: (await api.send(sentBody, { idempotencyKey: keyFor(message) })).requestId, json: message }
    },
    changes: [['messages'], ['mailbox'], ['start']],
    after: setSent,
  })
  // Pressed while the explanation is on its way: the send follows it, unless something else is typed.
  const [pressed, setPressed] = useState<{ typed: string; at: number }>()
  const act = () => {
    // JSON that is not complete is not in the body yet: another message than the one on the screen would go out.
    if (focusIncompleteJson(button.current?.form) || !canTest || json === undefined) return
    setUnsent(undefined)
    setPressed({ typed, at: Date.now() })
    if (isDown) void query.refetch({ cancelRefetch: false })
  }
  const { mutate } = send
  useEffect(() => {
    if (pressed === undefined) return
    const isAsPressed = pressed.typed === typed
    if (isAsPressed && (!isReady || (isDown && query.errorUpdatedAt < pressed.at))) return
    setPressed(undefined)
    if (!isAsPressed || json === undefined) return
    if (isDown) setUnsent(typed)
    else mutate({ message: json })
  }, [pressed, typed, json, isReady, isDown, query.errorUpdatedAt, setUnsent, mutate])
  useShortcuts([{ keys: SEND_KEYS, label: t.send, act }])
  return (
    <>
      <div className={styles.actions}>
        <Button
          ref={button}
          disabled={!canTest || body === undefined}
          loading={send.isPending || pressed !== undefined}
          leftSection={<PaperAirplaneIcon width={16} aria-hidden />}
          rightSection={<kbd aria-hidden>{keyName(SEND_KEYS)}</kbd>}
          onClick={act}
        >
          {to === '' ? t.send : isUnknown ? t.sendToUnknown(to) : t.sendTo(to)}
        </Button>
        <div className={styles.copies}>
          <CopyButton title={t.curl} code={body && curlOf(serverUrl, body)} />
          <CopyButton title="TypeScript" variant="subtle" code={body && typescriptOf(serverUrl, body)} />
        </div>
      </div>
      {canTest && (
        <p className={styles.hint}>
          <CodeText text={t.once} />
        </p>
      )}
    </>
  )
}

const randomText = () => [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('')

interface CopyButtonProps extends Pick<ButtonProps, 'variant'> {
  title: string
  code: string | undefined
}

function CopyButton({ title, code, variant = 'default' }: CopyButtonProps) {
  const t = useTexts(words)
  const { isCopied, copy } = useCopy()
  return (
    <Button variant={variant} disabled={code === undefined} onClick={() => code !== undefined && void copy(code)}>
      {isCopied ? t.copied : title}
    </Button>
  )
}
