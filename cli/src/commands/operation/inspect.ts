/** `postrider inspect …`: the effect of a mail that came back, from a file or as the server has it. */
import type { InspectedBounce, InspectedRecipient, InspectOptions } from '@postrider/server'
import type { Command } from 'commander'
import { exitCodes, Failure } from '../../failure.ts'
import { plainLine, utcTime } from '../../plain.ts'
import { serverModules } from '../../server-modules.ts'
import { runningClientOf, type Session, sessionOf } from '../../session.ts'
import { readBytes } from '../../text-file.ts'

export function addInspect(program: Command): void {
  const inspect = program
    .command('inspect')
    .description('Read mails as the server does, and say what it would do and why. Nothing is changed.')
  inspect
    .command('bounce')
    .description('Read a mail that came back: a bounce, a warning or a complaint.')
    .argument('<file>', 'mail as it came, with its headers; - is standard input')
    .option('--recipient <address>', 'recipient of the earlier mail (default: each address in the report)')
    .option(
      '--envelope-sender <address>',
      "envelope sender of the mail itself, as a server gets it by LMTP: '' for that of a mail system",
    )
    .addHelpText(
      'after',
      `
Examples:
  $ postrider inspect bounce bounce.eml
  $ postrider inspect bounce --json - < bounce.eml
  $ postrider inspect bounce bounce.eml --recipient ada@example.com
  $ postrider inspect bounce bounce.eml --envelope-sender ''

No server and no secret key are needed: whether the token of a bounce address is one of the installation is not checked.`,
    )
    .action(async (file: string, options: InspectOptions, command: Command) =>
      inspectBounceFile(sessionOf(command), file, options),
    )
  addBounces(inspect)
}

function addBounces(inspect: Command): void {
  inspect
    .command('bounces')
    .description('Read the mails that came to a bounce address of the server and were not understood.')
    .option('--mail <id>', 'print this mail as it came, for a file')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider inspect bounces
  $ postrider inspect bounces --mail 1-691f0000-0000000000000000000000ab > bounce.eml

The latest hundred of a workspace are kept, for 14 days. A published key of role full sees them.`,
    )
    .action(async ({ mail }: { mail?: string }, command: Command) => inspectBounces(sessionOf(command), mail))
}

async function inspectBounces(session: Session, mailId: string | undefined): Promise<void> {
  const { terminal } = session
  const client = await runningClientOf(session)
  const { inspectBounce } = await serverModules()
  let count = 0
  for await (const { id, message_id, created, envelope_sender, mail } of client.unrecognizedBounces.list({
    limit: PAGE,
  })) {
    if (mailId !== undefined && id !== mailId) continue
    count += 1
    if (mailId !== undefined) {
      process.stdout.write(Buffer.from(mail, 'latin1'))
      return
    }
    const envelopeSender = envelope_sender ?? undefined
    const inspected = await inspectBounce(Buffer.from(mail, 'latin1'), { envelopeSender })
    const title = `${utcTime(created)}  ${id}  of the message ${message_id}`
    terminal.line(
      { id, message_id, created, envelope_sender, ...inspected },
      linesText([title, ...inspectionLines(inspected)]),
    )
  }
  if (mailId !== undefined) throw new Failure(`There is no mail ${mailId}`, { exitCode: exitCodes.failed })
  if (count === 0) terminal.note('No mail is kept that was not understood.')
}

const PAGE = 20

const linesText = (lines: readonly string[]): string => lines.map(plainLine).join('\n')

async function inspectBounceFile({ terminal }: Session, file: string, options: InspectOptions): Promise<void> {
  const { inspectBounce } = await serverModules()
  const inspected = await inspectBounce(readBytes(file), options)
  terminal.answer(inspected, () => linesText(inspectionLines(inspected)))
}

const RULES: Record<InspectedBounce['rule'], string> = {
  rejection: 'a notice that a mail was deleted (RFC 3798), which rejects it',
  status_report: 'a report (RFC 3464)',
  notice_fields: 'a notice in words, with the fields of a report',
  notice: 'a notice in words',
  feedback_report: 'a report (RFC 5965)',
  complaint_of_microsoft: 'a complaint of Microsoft without a report',
  auto_reply: 'an automatic reply',
  delay_warning: 'a warning in words: the mail server goes on trying',
  no_result: 'a report of a mail that was passed on, or with an action that is not known',
  other_report: 'a report that a mail was read or deleted, or that it failed a check',
  no_report: 'the answer of a person, or a notice that was not understood',
  unreadable: 'no mail',
}

const KINDS: Record<InspectedBounce['kind'], string> = { bounce: 'Bounce', complaint: 'Complaint', ignored: 'Ignored' }

function inspectionLines({ kind, rule, from, bounceAddresses, recipients, complainants }: InspectedBounce): string[] {
  const lines = [`${KINDS[kind]}: ${RULES[rule]} (${rule})${from === '' ? '' : `, from ${from}`}`]
  lines.push(...recipients.flatMap(recipientLines))
  if (kind === 'complaint')
    lines.push(
      complainants.length > 0
        ? `  suppressed, where the mail was sent to it: ${complainants.join(', ')}`
        : '  no address is in it: the message shows the complaint, and none is suppressed',
    )
  if (kind !== 'ignored')
    lines.push(
      bounceAddresses.length > 0
        ? `It came to ${bounceAddresses.join(', ')}`
        : 'No bounce address is in it: it has an effect only where it is handed over to one by LMTP',
    )
  if (rule === 'no_report')
    lines.push('If it is a bounce, take the names out of it and report it, so that its format can be added.')
  return lines
}

const WHY: Record<NonNullable<InspectedRecipient['why']>, string> = {
  gone: 'the code says that the address does not exist',
  on_the_way: 'another address failed, which the mail was forwarded to, or which is that of another mail',
  unnamed: 'no address is named',
  sender: 'the sender or its host was refused, and not the address',
  mailbox: 'the words speak of a full mailbox, a limit, or a failure that passes',
  other_code: 'the code says nothing about whether the address exists',
  no_code: 'there is no enhanced code',
  unclear:
    'the code is not plainly about the address: other words, codes or addresses stand beside it, or it stands alone',
}

function recipientLines(recipient: InspectedRecipient): string[] {
  const { addresses, action, status, error, result, suppressed, why } = recipient
  const effect = suppressed === null ? 'nothing is suppressed' : `${suppressed} is suppressed`
  return [
    `  ${addresses.join(', ') || 'no address'}: ${action}${status === null ? '' : ` ${status}`}, ${result}; ${effect}`,
    ...(why === null ? [] : [`    ${WHY[why]}`]),
    ...(error === '' ? [] : [`    ${error}`]),
  ]
}
