/** A test of a template: its content as it is previewed, to an email address or a phone number, by the integration of a real message. */
import type {
  Channel,
  ChannelPreview,
  MessageDetail,
  MessageSendBody,
  NotificationPreview,
  Postrider,
} from '@postrider/client'
import { errorText } from '../../../error-text.ts'
import { errorReportOf, exitCodes, Failure } from '../../../failure.ts'
import { follow } from '../../../follow.ts'
import { plain } from '../../../plain.ts'
import type { Session } from '../../../session.ts'
import { failedStatuses, statusStyle } from '../../../status.ts'
import type { Terminal } from '../../../terminal.ts'

/** The message, unless it was not sent or has no result. */
export interface TestResult {
  address: string
  message?: MessageDetail
  error?: string
}

const TIMEOUT_SECONDS = 60
/** With it the list of messages finds them. */
const TAG = 'test-send'

interface Address {
  channel: Extract<Channel, 'email' | 'sms'>
  to: { email: string } | { phone_number: string }
}

/** Throws a `Failure` for text that is neither an email address nor an international phone number. */
export function checkAddresses(addresses: readonly string[]): void {
  for (const address of addresses) readAddress(address)
}

function readAddress(address: string): Address {
  if (/^[^\s@]+@[^\s@]+$/.test(address)) return { channel: 'email', to: { email: address } }
  if (/^\+\d[\d ()/.-]{4,}$/.test(address)) return { channel: 'sms', to: { phone_number: address } }
  throw new Failure(`\`${plain(address)}\` is not an address for a test`, {
    hint: 'Give an email address, or a phone number with its country code: +12025550143',
    exitCode: exitCodes.wrong,
  })
}

interface Testing {
  client: Postrider
  preview: NotificationPreview
  /** The reason why nothing may be sent. */
  obstacle: string | undefined
}

export async function sendTest(
  { terminal, server }: Session,
  { client, preview, obstacle }: Testing,
  address: string,
): Promise<TestResult> {
  const { channel, to } = readAddress(address)
  const shown = preview.results.find((result) => result.channel === channel)
  const why = obstacle ?? (shown ? shown.error : `the preview has no ${channel}: --channel ${channel}`)
  if (why !== undefined || !shown) return { address, error: `not sent: ${why}` }
  try {
    const { requestId } = await client.send(bodyOf(shown, to))
    const message = await follow(client, requestId, TIMEOUT_SECONDS, (status) =>
      terminal.progress.step(`Test to ${address}: ${status}`),
    )
    return { address, message }
  } catch (error) {
    return { address, error: errorReportOf(error, server.url).message }
  } finally {
    terminal.progress.end()
  }
}

/** The content replaces that of the message as it is: nothing in it is rendered again. */
function bodyOf(
  { channel, content: { subject, html, text, body } }: ChannelPreview,
  to: Address['to'],
): MessageSendBody {
  const shown = channel === 'email' ? { subject, html, text } : { body, text }
  return {
    message: {
      to,
      content: { title: 'Test', body: 'Test' },
      channels: { [channel]: { override: { ...shown, tracking: { open: false, click: false } } } },
      routing: { method: 'single', channels: [channel] },
      metadata: { tags: [TAG] },
    },
  }
}

export const isFailedTest = ({ message, error }: TestResult): boolean =>
  error !== undefined || (message !== undefined && failedStatuses.has(message.status))

export function testText(terminal: Terminal, { address, message, error: failure }: TestResult): string {
  const heading = `Test to ${plain(address)}: `
  if (!message) return `${heading}${terminal.style('red', plain(failure))}`
  const { id, status, error, providers } = message
  const provider = providers.find(({ sent }) => sent !== undefined)?.provider
  const by = provider === undefined ? '' : provider === 'mailbox' ? ', kept in the mailbox' : ` by ${plain(provider)}`
  const why = error ? `: ${plain(errorText(error))}` : ''
  return `${heading}${statusStyle(terminal, status)}${by}${why}\n  ${plain(id)}`
}
