/** A template sent as it is previewed: to an email address or a phone number, by the integration of a real message. */
import {
  type Channel,
  isPostriderError,
  type MessageDetail,
  type MessageSendBody,
  type NotificationInput,
  type NotificationPreview,
  type NotificationPreviewRequest,
  type Postrider,
} from '@postrider/client'
import { errorText } from '../../../error-text.ts'
import { exitCodes, Failure } from '../../../failure.ts'
import { follow } from '../../../follow.ts'
import { plain } from '../../../plain.ts'
import { runningClientOf, type Session } from '../../../session.ts'
import { failedStatuses, statusStyle } from '../../../status.ts'
import type { Terminal } from '../../../terminal.ts'

export interface TestResult {
  address: string
  message: MessageDetail
  failed: boolean
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

export async function sendTests(
  session: Session,
  request: NotificationPreviewRequest,
  shown: NotificationPreview,
  addresses: readonly string[],
): Promise<TestResult[]> {
  const { terminal } = session
  const client = await runningClientOf(session)
  const template = await templateOf(client, request, shown)
  const profile = request.recipient === undefined ? {} : await profileOf(client, request.recipient)
  const results: TestResult[] = []
  for (const address of addresses) {
    const body = bodyOf({ request, template, profile }, readAddress(address))
    const { requestId } = await client.send(body)
    const message = await follow(client, requestId, TIMEOUT_SECONDS, (status) =>
      terminal.progress.step(`Test to ${address}: ${status}`),
    )
    terminal.progress.end()
    if (message.findings?.includes('links_empty'))
      terminal.warning('The links to unsubscribe are empty in a test: it has no user.')
    results.push({ address, message, failed: failedStatuses.has(message.status) })
  }
  return results
}

type Template = Pick<NotificationInput, 'content' | 'brand'>

/** In the version that is shown. */
async function templateOf(
  client: Postrider,
  { notification: local }: NotificationPreviewRequest,
  { notification: version }: NotificationPreview,
): Promise<Template> {
  if (local) return local
  if (!version) throw new Error('A preview is of a stored template or of one of the request')
  return await client.notifications.get(version.id, { version: version.version })
}

/** Without its id: the addresses and preferences of the user have no part in the test. */
async function profileOf(client: Postrider, user: string): Promise<Record<string, unknown>> {
  try {
    const { profile } = await client.profiles.get(user)
    const { user_id: _, ...words } = profile
    return words
  } catch (error) {
    if (isPostriderError(error, 'not_found')) return {}
    throw error
  }
}

interface Test {
  request: NotificationPreviewRequest
  template: Template
  profile: Record<string, unknown>
}

function bodyOf({ request, template, profile }: Test, { channel, to }: Address): MessageSendBody {
  const { data, locale, tenant_id: tenant } = request
  const brand = request.brand_id ?? template.brand?.id
  return {
    message: {
      to: { ...profile, ...to, ...(locale !== undefined && { locale }) },
      content: template.content,
      ...(data && { data }),
      ...(brand !== undefined && { brand_id: brand }),
      ...(tenant !== undefined && { context: { tenant_id: tenant } }),
      routing: { method: 'single', channels: [channel] },
      metadata: { tags: [TAG] },
    },
  }
}

export function testText(terminal: Terminal, { address, message }: TestResult): string {
  const { id, status, error, providers } = message
  const provider = providers.find(({ sent }) => sent !== undefined)?.provider
  const by = provider === undefined ? '' : provider === 'mailbox' ? ', kept in the mailbox' : ` by ${plain(provider)}`
  const why = error ? `: ${plain(errorText(error))}` : ''
  return `Test to ${plain(address)}: ${statusStyle(terminal, status)}${by}${why}\n  ${plain(id)}`
}
