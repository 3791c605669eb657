/** `postrider providers test`: one real message through exactly one integration, and what the provider answered. */
import { setTimeout as pause } from 'node:timers/promises'
import {
  type Channel,
  type DeliveryRecord,
  type Integration,
  isPostriderError,
  type MessageExplanation,
  type MessageRecipient,
  type Postrider,
} from '@postrider/client'
import { type Command, Option } from 'commander'
import { assign, type Fields } from '../../../assign.ts'
import { exitCodes, Failure } from '../../../failure.ts'
import { plain, plainJson } from '../../../plain.ts'
import { seconds } from '../../../seconds.ts'
import { runningClientOf, type Session, sessionOf } from '../../../session.ts'
import { pendingStatuses } from '../../../status.ts'
import { findIntegration, integrationName } from './find.ts'

interface TestOptions {
  to?: string
  recipient?: string
  profile?: Fields
  channel?: string
  subject: string
  text: string
  timeout: number
}

const POLL_MS = 200

export function addTest(providers: Command): void {
  const timeout = new Option('--timeout <seconds>', 'how long to wait for the provider').default(45).argParser(seconds)
  providers
    .command('test')
    .description('Send one real message through an integration and show the response of the provider.')
    .argument('<integration>', 'id, alias, title or provider of the integration')
    .option('--to <address>', 'address to send to: email address, phone number, Slack channel or webhook URL')
    .option('-r, --recipient <id>', 'recipient with a stored profile, instead of an address')
    .option('-p, --profile <key=value>', 'profile value; key:=json for values other than text', assign)
    .option('--channel <channel>', 'channel to use, if the integration serves several')
    .option('--subject <text>', 'subject or title', 'Test message')
    .option('--text <text>', 'text of the message', 'This is a test message from Postrider. The integration works.')
    .addOption(timeout)
    .addHelpText(
      'after',
      `
Examples:
  $ postrider providers test smtp --to ada@example.com
  $ postrider providers test "Twilio EU" --to +12025550143
  $ postrider providers test slack --to '#alerts'
  $ postrider providers test webhook

There is no failover to another integration, and a failed attempt is not repeated. The exit code is 1 unless the provider
accepts the message. To check credentials without sending: postrider doctor`,
    )
    .action(async (name: string, options: TestOptions, command: Command) => test(sessionOf(command), name, options))
}

async function test(session: Session, name: string, options: TestOptions): Promise<void> {
  const { terminal } = session
  const client = await runningClientOf(session)
  const integration = await findIntegration(client, name)
  if (!integration.enabled)
    throw new Failure(`${integrationName(integration)} is disabled`, {
      hint: `Enable it with: postrider providers update ${plain(integration.id)} --enable`,
    })
  const channel = (options.channel ?? integration.channel) as Channel
  const { messageId } = await send(client, integration, channel, options).catch((error: unknown) => {
    throw addressMissing(error, name, options)
  })
  terminal.progress.step(`${messageId} accepted, waiting for ${plain(integration.title)} …`)
  const explanation = await follow(client, messageId, options.timeout)
  terminal.progress.end()
  const result = resultOf(explanation, integration, channel)
  terminal.answer(result, () => resultText(result, integration))
  if (!result.ok) process.exitCode = exitCodes.failed
}

async function send(client: Postrider, integration: Integration, channel: Channel, options: TestOptions) {
  const { to, recipient, profile, subject, text, timeout } = options
  const contact = to === undefined ? {} : contactOf(channel, to)
  const { requestId } = await client.send(
    {
      message: {
        to: { ...(recipient !== undefined && { user_id: recipient }), ...contact, ...profile } as MessageRecipient,
        content: { title: subject, body: text },
        routing: { method: 'single', channels: [{ channel, method: 'single', providers: [integration.id] }] },
        // No retry once this command has its answer, also when this process has died.
        timeout: { message: timeout * 1_000 },
        metadata: { tags: ['provider-test'] },
      },
    },
    // Refused at once without an address that this integration can use.
    { strict: true },
  )
  return { messageId: requestId }
}

/** The server's error when the command was given no address, with the options that name one. */
function addressMissing(error: unknown, name: string, { to, recipient, profile }: TestOptions): unknown {
  const isNamed = to !== undefined || recipient !== undefined || profile !== undefined
  if (isNamed || !isPostriderError(error, 'invalid_request') || !/address/i.test(error.message)) return error
  return new Failure('The address for the test message is missing', {
    issues: [error.message],
    hint: `Give an address: postrider providers test ${plain(name)} --to <address>, or a recipient: --recipient <id>`,
    exitCode: exitCodes.wrong,
    cause: error,
  })
}

/** The profile that reaches an address of a channel. Throws a `Failure` where an address says nothing. */
function contactOf(channel: Channel, to: string): Fields {
  switch (channel) {
    case 'email':
      return { email: to }
    case 'sms':
      return { phone_number: to }
    case 'direct_message':
      return {
        slack: /^https?:/.test(to)
          ? { incoming_webhook: { url: to } }
          : to.includes('@')
            ? { email: to }
            : { channel: to },
      }
    case 'webhook':
      return { webhook: { url: to } }
    default:
      throw new Failure(`--to is not supported for the channel ${plain(channel)}`, {
        hint: 'Give a recipient with --recipient, or profile values with --profile key=value.',
        exitCode: exitCodes.wrong,
      })
  }
}

const isPending = ({ message }: MessageExplanation) => pendingStatuses.has(message.status)

const lastAttempt = ({ deliveries: [delivery] }: MessageExplanation) => delivery?.attempts.at(-1)

/** Until the first attempt has an outcome: a provider that would be tried again has failed the test. */
async function follow(client: Postrider, messageId: string, timeoutSeconds: number): Promise<MessageExplanation> {
  const deadline = Date.now() + timeoutSeconds * 1_000
  for (;;) {
    const found = await client.messages.explain(messageId).catch((error: unknown) => {
      if (isPostriderError(error, 'not_found')) return undefined
      throw error
    })
    const outcome = found && lastAttempt(found)?.outcome
    if (found && (!isPending(found) || outcome)) {
      if (isPending(found) && outcome !== 'sent') await client.messages.cancel(messageId).catch(() => undefined)
      if (outcome !== 'sent' || !isPending(found)) return found
    }
    if (Date.now() >= deadline)
      throw new Failure(`No response from the provider after ${timeoutSeconds} s`, {
        hint: `To check the result: postrider messages explain ${messageId}`,
      })
    await pause(POLL_MS)
  }
}

interface TestResult {
  ok: boolean
  messageId: string
  integration: Pick<Integration, 'id' | 'provider' | 'title'>
  channel: string
  status: string
  outcome: string
  error?: string
  reference?: DeliveryRecord['reference']
  tookMs?: number
}

function resultOf(found: MessageExplanation, { id, provider, title }: Integration, channel: string): TestResult {
  const { message, decision, deliveries } = found
  const attempt = lastAttempt(found)
  const reference = deliveries[0]?.reference
  const error = attempt?.error ?? deliveries[0]?.error ?? decision.error ?? decision.reason
  return {
    // A mock key renders and calls no provider: that is no test.
    ok: attempt?.outcome === 'sent' && message.status !== 'SIMULATED',
    messageId: message.id,
    integration: { id, provider, title },
    channel,
    status: message.status,
    outcome: attempt?.outcome ?? 'not sent',
    ...(error !== undefined && { error }),
    ...(reference && Object.keys(reference).length > 0 && { reference }),
    ...(attempt?.ended !== undefined && { tookMs: attempt.ended - attempt.started }),
  }
}

function resultText(
  { ok, messageId, outcome, error, reference, tookMs }: TestResult,
  integration: Integration,
): string {
  const name = integrationName(integration)
  const took = tookMs === undefined ? '' : ` after ${tookMs} ms`
  const named = reference ? ` Reference: ${plainJson(reference)}.` : ''
  if (ok) return `${name} accepted the message${took}.${named}\nMessage: ${plain(messageId)}`
  const what = outcome === 'not sent' ? 'was not called' : 'did not accept the message'
  return `${name} ${what}${took}${error ? `: ${plain(error)}` : ''}\nMessage: ${plain(messageId)}`
}
