/** `postrider send`: sends one message, and with `--wait` follows it to its result. */
import type { MessageSendBody, SendBody } from '@postrider/client'
import { type Command, Option } from 'commander'
import { assign, type Fields } from '../../assign.ts'
import { errorText } from '../../error-text.ts'
import { exitCodes, Failure } from '../../failure.ts'
import { follow } from '../../follow.ts'
import { readObject } from '../../json-file.ts'
import { plain } from '../../plain.ts'
import { seconds } from '../../seconds.ts'
import { runningClientOf, type Session, sessionOf } from '../../session.ts'
import { failedStatuses, statusStyle } from '../../status.ts'

export interface BodyOptions {
  data?: Fields
  profile?: Fields
  jsonBody?: string
}

interface SendOptions extends BodyOptions {
  strict?: boolean
  wait?: boolean
  timeout: number
}

export function addSend(program: Command): void {
  const timeout = new Option('--timeout <seconds>', 'how long to wait with --wait').default(60).argParser(seconds)
  withBodyOptions(program.command('send'))
    .description('Send a notification to a recipient and print the message id.')
    .option('--strict', 'check the message as it would be delivered, and reject it if it would fail')
    .option('-w, --wait', 'wait until the message is sent or has failed')
    .addOption(timeout)
    .addHelpText(
      'after',
      `
Examples:
  $ postrider send welcome user-7 --profile email=ada@example.com --data name=Ada --wait
  $ postrider send order-shipped user-7 --data 'items:=[{"name":"Tea","count":2}]'
  $ postrider send --json-body message.json
  $ echo '{"event":"welcome","recipient":"user-7","delay":{"duration":60000}}' | postrider send --json-body -

With --wait, the exit code is 1 if the message fails or is not sent before --timeout.`,
    )
    .action(async (event: string | undefined, recipient: string | undefined, options: SendOptions, command: Command) =>
      send(sessionOf(command), bodyOf(event, recipient, options), options),
    )
}

/** The arguments and options that say who gets what. */
export const withBodyOptions = (command: Command): Command =>
  command
    .argument('[event]', 'notification id, or event mapped to a notification')
    .argument('[recipient]', 'id of the recipient')
    .option('-d, --data <key=value>', 'value of a template variable; key:=json for values other than text', assign)
    .option(
      '-p, --profile <key=value>',
      'profile value for this message only; key:=json for values other than text',
      assign,
    )
    .option('--json-body <file>', 'body of the send as JSON, from a file or - (standard input)')

async function send(
  session: Session,
  body: SendBody | MessageSendBody,
  { strict, wait, timeout }: SendOptions,
): Promise<void> {
  const { terminal } = session
  const client = await runningClientOf(session)
  const options = strict ? { strict } : {}
  const reply = 'message' in body ? await client.send(body, options) : await client.send(body, options)
  // The request for one recipient has the id of its message.
  const messageId = 'requestId' in reply ? reply.requestId : reply.messageId
  if (!wait) {
    terminal.answer(reply, () => plain(messageId))
    return
  }
  terminal.progress.step(`${messageId} accepted`)
  const message = await follow(client, messageId, timeout, (status) => terminal.progress.step(`${messageId} ${status}`))
  terminal.progress.end()
  terminal.answer(message, () => {
    const error = message.error ? `: ${plain(errorText(message.error))}` : ''
    return `${plain(messageId)} ${statusStyle(terminal, message.status)}${error}`
  })
  if (failedStatuses.has(message.status)) process.exitCode = exitCodes.failed
}

export function bodyOf(
  event: string | undefined,
  recipient: string | undefined,
  { data, profile, jsonBody }: BodyOptions,
): SendBody | MessageSendBody {
  const body: Record<string, unknown> = jsonBody === undefined ? {} : readObject(jsonBody)
  if ('message' in body) {
    if (event !== undefined || data || profile)
      throw new Failure('The file contains a complete message', {
        hint: 'Put the event, data and profile into its `message`, and give no other arguments.',
        exitCode: exitCodes.wrong,
      })
    return body as unknown as MessageSendBody
  }
  const merged = {
    ...body,
    ...(event === undefined ? {} : { event }),
    ...(recipient === undefined ? {} : { recipient }),
    ...(data && { data: { ...(body.data as object | undefined), ...data } }),
    ...(profile && { profile: { ...(body.profile as object | undefined), ...profile } }),
  }
  for (const name of ['event', 'recipient'] as const)
    if (merged[name] === undefined)
      throw new Failure(`The ${name} is missing`, {
        hint: 'postrider send <event> <recipient>, or both in --json-body.',
        exitCode: exitCodes.wrong,
      })
  return merged as unknown as SendBody
}
