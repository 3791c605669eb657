/** Sends the draft as it is, to an address or to the mailbox. */
import { Button, Group, Modal, TextInput } from '@mantine/core'
import type { MessageSendBody } from '@postrider/client'
import { useState } from 'react'
import { home } from '../../address.ts'
import { texts, useTexts } from '../../language/language.tsx'
import { words } from '../../language/texts.ts'
import { useAction } from '../../parts/confirm.tsx'
import { channelNames } from '../../parts/meanings.ts'
import { api } from '../../session/api.ts'
import { usePermissions } from '../../session/session.tsx'
import { Choice } from '../blocks/block-form.tsx'
import styles from '../editor.module.css'
import { type PreviewOptions, previewRequest } from '../preview-input.ts'
import { contentOf, type Draft } from './draft-store.ts'

const testTexts = texts({
  en: {
    title: 'Send test',
    about: 'The draft, with the data, brand and locale of the preview. It counts as a message and is in the list.',
    to: 'To',
    mailbox: 'The mailbox',
    address: 'An address',
    mailboxHint: 'No provider is called; the mailbox shows what the recipient would have received.',
    addressHint: 'Through the integration that a real message would take.',
    email: 'Mail address',
    phone: 'Phone number with country code',
    user: 'User id',
    send: 'Send test',
    sent: 'The test is sent',
    show: 'Show the message',
    notAllowed:
      'This key cannot send. An editor sends with a mock key, which renders and calls no provider: postrider keys create --kind mock --role editor',
    mockHint:
      'Signed in with a mock key: the message is decided and rendered, and no provider is called, the mailbox included.',
  },
  de: {
    title: 'Probe senden',
    about: 'Der Entwurf mit Daten, Marke und Sprache der Vorschau. Sie zählt als Nachricht und steht in der Liste.',
    to: 'An',
    mailbox: 'Das Postfach',
    address: 'Eine Adresse',
    mailboxHint: 'Kein Anbieter wird aufgerufen; das Postfach zeigt, was der Empfänger bekommen hätte.',
    addressHint: 'Durch die Integration, die eine echte Nachricht nähme.',
    email: 'Mailadresse',
    phone: 'Telefonnummer mit Ländervorwahl',
    user: 'Id des Nutzers',
    send: 'Probe senden',
    sent: 'Die Probe ist gesendet',
    show: 'Nachricht zeigen',
    notAllowed:
      'Dieser Schlüssel kann nicht senden. Die Rolle Editor sendet mit einem Mock-Schlüssel, der darstellt und keinen Anbieter aufruft: postrider keys create --kind mock --role editor',
    mockHint:
      'Angemeldet mit einem Mock-Schlüssel: Die Nachricht wird entschieden und dargestellt, kein Anbieter wird aufgerufen, auch das Postfach nicht.',
  },
})

export interface TestSendProps {
  draft: Draft
  options: PreviewOptions
  isOpen: boolean
  close(): void
}

type Target = 'mailbox' | 'address'

/** Every address, for a test without a user; the mailbox takes it. */
const sampleContact = {
  ...{ user_id: 'preview', email: 'ada@example.com', phone_number: '+12025550143', firebaseToken: 'preview' },
  slack: { access_token: 'preview', channel: 'preview' },
}

type Part = Pick<MessageSendBody['message'], 'to' | 'content' | 'data' | 'brand_id' | 'context' | 'channels'>

/** A mail and an SMS go exactly as they are previewed: nothing in their words is rendered again. */
async function asPreviewed(draft: Draft, options: PreviewOptions, to: Part['to']): Promise<Part> {
  const { results } = await api.notifications.preview(previewRequest(draft, options))
  const [shown] = results
  if (!shown || shown.error !== undefined) throw new Error(shown?.error)
  const { subject, html, text, body } = shown.content
  const texts = options.channel === 'email' ? { subject, html, text } : { body, text }
  const override = { ...texts, tracking: { open: false, click: false } }
  return { to, content: { title: 'Test', body: 'Test' }, channels: { [options.channel]: { override } } }
}

/** A push and a chat message have parts that only their provider writes. */
function asContent(draft: Draft, { locale, tenant, data, brand }: PreviewOptions, to: object): Part {
  return {
    to: { ...to, ...(locale !== undefined && { locale }) },
    content: contentOf(draft),
    data,
    // The brand of a tenant wins over that of the template.
    ...(brand === undefined && tenant === undefined && draft.brand && { brand_id: draft.brand.id }),
    ...(brand !== undefined && { brand_id: brand }),
    ...(tenant !== undefined && { context: { tenant_id: tenant } }),
  }
}

async function testBody(
  draft: Draft,
  options: PreviewOptions,
  target: Target,
  address: string,
): Promise<MessageSendBody> {
  const { channel, user } = options
  const isAddress = target === 'address'
  const part =
    channel === 'email'
      ? await asPreviewed(draft, options, isAddress ? { email: address } : sampleContact)
      : channel === 'sms'
        ? await asPreviewed(draft, options, isAddress ? { phone_number: address } : sampleContact)
        : asContent(draft, options, isAddress ? { user_id: address } : user ? { user_id: user } : sampleContact)
  const only = isAddress ? {} : { providers: ['mailbox'] }
  return {
    message: {
      ...part,
      channels: { [channel]: { ...part.channels?.[channel], ...only } },
      routing: { method: 'all', channels: [channel] },
      metadata: { tags: ['test-send'] },
    },
  }
}

export function TestSend({ draft, options, isOpen, close }: TestSendProps) {
  const t = useTexts(words)
  const labels = useTexts(testTexts)
  const names = useTexts(channelNames)
  const { canTest, onlyRenders } = usePermissions()
  const [target, setTarget] = useState<Target>('mailbox')
  const [address, setAddress] = useState('')
  const send = useAction({
    act: async () => api.send(await testBody(draft, options, target, address.trim())),
    done: labels.sent,
    changes: [['messages'], ['mailbox']],
  })
  const isAddress = target === 'address'
  const messageId = send.data && 'requestId' in send.data ? send.data.requestId : undefined
  return (
    <Modal
      opened={isOpen}
      onClose={() => {
        send.reset()
        close()
      }}
      title={labels.title}
      closeButtonProps={{ 'aria-label': t.close }}
    >
      <form
        className={styles.stack}
        onSubmit={(event) => {
          event.preventDefault()
          if (canTest && (!isAddress || address.trim() !== '')) send.mutate()
        }}
      >
        <p className={styles.note}>
          {names[options.channel]}. {labels.about}
        </p>
        <Choice
          label={labels.to}
          value={target}
          options={[
            ['mailbox', labels.mailbox],
            ['address', labels.address],
          ]}
          choose={(next) => setTarget(canTest ? next : 'mailbox')}
        />
        <p className={styles.note}>
          {!canTest
            ? labels.notAllowed
            : onlyRenders
              ? labels.mockHint
              : isAddress
                ? labels.addressHint
                : labels.mailboxHint}
        </p>
        {isAddress && (
          <TextInput
            label={options.channel === 'email' ? labels.email : options.channel === 'sms' ? labels.phone : labels.user}
            value={address}
            autoComplete="off"
            onChange={(event) => setAddress(event.currentTarget.value)}
          />
        )}
        <Group justify="flex-end">
          {messageId && (
            <Button component="a" variant="subtle" href={`${home}messages/${encodeURIComponent(messageId)}`}>
              {labels.show}
            </Button>
          )}
          <Button type="submit" loading={send.isPending} disabled={!canTest || (isAddress && address.trim() === '')}>
            {labels.send}
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
