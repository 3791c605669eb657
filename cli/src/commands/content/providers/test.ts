/** `postrider providers test`: signs in to one integration, and sends one message through it alone where an address is given. */
import {
  type Channel,
  type Integration,
  isPostriderError,
  type ProviderTest,
  type ProviderTestBody,
} from '@postrider/client'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { assign, type Fields } from '../../../assign.ts'
import { exitCodes, Failure } from '../../../failure.ts'
import { plain, plainJson } from '../../../plain.ts'
import { runningClientOf, type Session, sessionOf } from '../../../session.ts'
import { findIntegration, integrationName } from './find.ts'

interface TestOptions {
  to?: string
  recipient?: string
  profile?: Fields
  send?: boolean
  channel?: string
  subject?: string
  text?: string
  timeout: number
}

/** A sign-in takes 15 s at most, beside the message. */
const ANSWER_MS = 20_000
/** The bound of the API. */
const TIMEOUT_MAX = 45

export function addTest(providers: Command): void {
  const timeout = new Option('--timeout <seconds>', 'how long to wait for the provider')
    .default(TIMEOUT_MAX)
    .argParser(timeoutSeconds)
  providers
    .command('test')
    .description('Check that an integration can sign in, and send one real message through it.')
    .argument('<integration>', 'id, alias, title or provider of the integration')
    .option('--to <address>', 'address to send to: email address, phone number, chat, token of a device or web address')
    .option('-r, --recipient <id>', 'recipient with a stored profile, instead of an address')
    .option('-p, --profile <key=value>', 'profile value; key:=json for values other than text', assign)
    .option('--send', 'send without an address, where the settings of the integration name one')
    .option('--channel <channel>', 'channel to use, if the integration serves several')
    .option('--subject <text>', 'subject or title (default: Test message)')
    .option('--text <text>', 'text of the message')
    .addOption(timeout)
    .addHelpText(
      'after',
      `
Examples:
  $ postrider providers test smtp
  $ postrider providers test smtp --to ada@example.com
  $ postrider providers test "Twilio EU" --to +12025550143
  $ postrider providers test slack --to '#alerts'
  $ postrider providers test firebase-fcm --to "$DEVICE_TOKEN"
  $ postrider providers test webhook --send

Without an address nothing is sent: the server signs in to the provider, or makes a call without side effects where it has
no sign-in. There is no failover to another integration, and a failed attempt is not repeated. A test that goes well
releases messages that are held for the integration. The exit code is 1 unless everything that was tried went well.`,
    )
    .action(async (name: string, options: TestOptions, command: Command) => test(sessionOf(command), name, options))
}

function timeoutSeconds(text: string): number {
  const value = Number(text)
  if (value >= 1 && value <= TIMEOUT_MAX) return value
  throw new InvalidArgumentError(`It must be a number of seconds from 1 to ${TIMEOUT_MAX}.`)
}

async function test(session: Session, name: string, options: TestOptions): Promise<void> {
  const { terminal } = session
  const client = await runningClientOf(session)
  const integration = await findIntegration(client, name)
  const body = bodyOf(options)
  if (isSending(options) && !integration.enabled)
    throw new Failure(`${integrationName(integration)} is disabled`, {
      hint: `Enable it with: postrider providers update ${plain(integration.id)} --enable`,
    })
  terminal.progress.update(`testing ${plain(integration.title)} …`)
  const result = await client.providers
    .test(integration.id, body, { timeoutMs: options.timeout * 1_000 + ANSWER_MS })
    .catch((error: unknown) => {
      throw addressMissing(error, name, options)
    })
  terminal.progress.end()
  terminal.answer(recordOf(result), () => resultText(result, integration))
  if (!result.ok) process.exitCode = exitCodes.failed
}

const isSending = ({ to, recipient, profile, send }: TestOptions) =>
  send === true || [to, recipient, profile].some((option) => option !== undefined)

function bodyOf(options: TestOptions): ProviderTestBody {
  const { to, recipient, profile, channel, subject, text, timeout } = options
  return {
    ...(to !== undefined && { to }),
    ...(recipient !== undefined && { recipient }),
    ...(profile !== undefined && { profile }),
    ...(channel !== undefined && { channel: channel as Channel }),
    ...(subject !== undefined && { subject }),
    ...(text !== undefined && { text }),
    send: isSending(options),
    timeout_ms: Math.round(timeout * 1_000),
  }
}

/** The server's error when the integration has no usable address, with the options that name one. */
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

/** The reply of the server, with the fields of the message beside it, as scripts read them. */
function recordOf(result: ProviderTest) {
  const { message } = result
  if (!message) return result
  const { id: messageId, channel, status, outcome, error, reference, took_ms: tookMs } = message
  return { ...result, messageId, channel, status, outcome, error, reference, tookMs }
}

function resultText({ sign_in: signIn, message }: ProviderTest, integration: Integration): string {
  const name = integrationName(integration)
  const lines = [`${name}: ${signInText(signIn)}`, ...(signIn.hint ? [`  ${plain(signIn.hint)}`] : [])]
  return [...(message ? messageLines(name, message) : []), ...lines].join('\n')
}

const signInText = ({ state, detail, took_ms: tookMs }: ProviderTest['sign_in']) =>
  `${state === 'skip' ? 'not signed in' : state === 'ok' ? 'sign-in ok' : 'sign-in failed'}${afterMs(tookMs)}: ${plain(detail)}`

const afterMs = (tookMs: number | undefined) => (tookMs === undefined ? '' : ` after ${tookMs} ms`)

const failures: Readonly<Record<string, string>> = {
  not_called: 'was not called',
  no_answer: 'gave no answer',
}

function messageLines(name: string, message: NonNullable<ProviderTest['message']>): string[] {
  const { id, outcome, error, hint, reference, took_ms: tookMs } = message
  const took = afterMs(tookMs)
  if (outcome === 'sent') {
    const named = reference ? ` Reference: ${plainJson(reference)}.` : ''
    return [`${name} accepted the message${took}.${named}`, `Message: ${plain(id)}`]
  }
  const failure = failures[outcome] ?? 'did not accept the message'
  return [
    `${name} ${failure}${took}${error ? `: ${plain(error)}` : ''}`,
    ...(hint ? [`  ${plain(hint)}`] : []),
    `Message: ${plain(id)}`,
  ]
}
