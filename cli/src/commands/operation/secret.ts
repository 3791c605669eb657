/** `postrider secret …`: replaces the secret key, or accepts that one is lost. */
import type { Loss, Rotation } from '@postrider/server'
import { type Command, InvalidArgumentError } from 'commander'
import { refuseMissingDatabase } from '../../data-folder.ts'
import { exitCodes } from '../../failure.ts'
import { plain } from '../../plain.ts'
import { serverModules } from '../../server-modules.ts'
import { type Session, sessionOf } from '../../session.ts'

export function addSecret(program: Command): void {
  const secret = program
    .command('secret')
    .description('Replace the secret key, or accept that it is lost.')
    .addHelpText(
      'after',
      `
The secret key encrypts stored credentials. It is the value of POSTRIDER_SECRET_KEY, or the file secret.key in the data
folder. A server does not start with a key other than the one its database was encrypted with. Stop every node first.`,
    )
  addRotate(secret)
  addAcceptLoss(secret)
}

function addRotate(secret: Command): void {
  secret
    .command('rotate')
    .description('Replace the secret key and encrypt stored credentials with the new one.')
    .argument(
      '[file]',
      'file with the new key, created if it does not exist; required if POSTRIDER_SECRET_KEY is set',
      fileName,
    )
    .addHelpText(
      'after',
      `
Examples:
  $ postrider secret rotate
  $ postrider secret rotate /run/secrets/postrider-key-2

Pending messages, their ids and stored replies do not change. Issued tokens become invalid. If the rotation is
interrupted, run the same command again: no server starts until it is complete.
Keep the old key for as long as you keep backups made before the rotation: they can only be read with it.`,
    )
    .action(async (file: string | undefined, _options: unknown, command: Command) => rotate(sessionOf(command), file))
}

async function rotate({ terminal }: Session, newKeyFile: string | undefined): Promise<void> {
  const { createLog, readConfig, rotateSecretKey } = await serverModules()
  const config = readConfig()
  await refuseMissingDatabase(config.databaseUrl, config.dataDir)
  terminal.progress.step('opening the database …')
  const rotation = await rotateSecretKey({
    config,
    log: createLog('warn'),
    newKeyFile,
    progress: terminal.progress,
  })
  terminal.progress.end()
  terminal.answer(rotation, () => rotationText(rotation))
  terminal.note(
    config.secretKey
      ? `Before you start the nodes again, configure the new key on each: POSTRIDER_SECRET_KEY_FILE=${rotation.keyFile}`
      : `Store a copy of ${rotation.keyFile} in another place. The previous key is in ${rotation.previousKeyFile}: backups made before the rotation need it.`,
  )
}

function rotationText({ previous, current, rows, unreadable }: Rotation): string {
  const counts = Object.entries(rows).map(([content, count]) => countText(count, content))
  const lines = [`The secret key is now ${current}; it was ${previous}.`]
  if (counts.length > 0) lines.push(`Encrypted with the new key: ${counts.join(', ')}.`)
  if (unreadable.length > 0)
    lines.push('Not readable with the previous key, and unchanged:', ...unreadable.map(lossLine))
  return lines.join('\n')
}

function addAcceptLoss(secret: Command): void {
  secret
    .command('accept-loss')
    .description('List the data that is lost with a lost secret key; with --yes, continue without it.')
    .option('--yes', 'accept the loss and use the configured key from now on')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider secret accept-loss
  $ postrider secret accept-loss --yes

Without --yes nothing changes, and the exit code is 1 if data would be lost.`,
    )
    .action(async ({ yes }: { yes?: boolean }, command: Command) => acceptLoss(sessionOf(command), yes === true))
}

async function acceptLoss({ terminal }: Session, isAccepted: boolean): Promise<void> {
  const { acceptSecretKeyLoss, createLog, readConfig } = await serverModules()
  const config = readConfig()
  await refuseMissingDatabase(config.databaseUrl, config.dataDir)
  terminal.progress.step('opening the database …')
  const loss = await acceptSecretKeyLoss({ config, log: createLog('warn') }, isAccepted)
  terminal.progress.end()
  terminal.answer(loss, () => lossText(loss))
  if (loss.isOtherKey && loss.acceptedFrom === undefined) process.exitCode = exitCodes.failed
}

function lossText({ unreadable, isOtherKey, acceptedFrom }: Loss): string {
  const lines = unreadable.map(lossLine)
  if (!isOtherKey)
    return unreadable.length === 0
      ? 'Nothing is lost: the configured secret key is the key of the database.'
      : ['The configured secret key is the key of the database. Encrypted with other keys:', ...lines].join('\n')
  lines.push(
    '  issued tokens',
    '  links in messages that were sent, and the addresses for callbacks and bounces',
    '  digests of addresses: in messages, and of suppressed addresses of erased recipients',
    '  the mapping from recipients to message ids of bulk jobs, and from erased recipients to pseudonyms',
  )
  return acceptedFrom === undefined
    ? [
        'Lost without the key of the database:',
        ...lines,
        '',
        'Nothing was changed. To accept the loss: postrider secret accept-loss --yes',
      ].join('\n')
    : [
        `The database now uses the secret key from ${plain(acceptedFrom)}. Lost:`,
        ...lines,
        '',
        'Enter the secrets of integrations and webhooks again: PUT /providers/:id, PUT /webhooks/:id. Then enter the new callback_url of each integration at its provider.',
      ].join('\n')
}

function lossLine({ content, count, titles }: Loss['unreadable'][number]): string {
  const more = count > titles.length ? ['…'] : []
  const names = titles.length > 0 ? `: ${[...titles.map(plain), ...more].join(', ')}` : ''
  return `  the secrets of ${countText(count, content)}${names}`
}

/** `contents` is a regular plural. */
const countText = (count: number, contents: string) => `${count} ${count === 1 ? contents.slice(0, -1) : contents}`

function fileName(text: string): string {
  if (text === '' || text === '-') throw new InvalidArgumentError('It must be a file name.')
  return text
}
