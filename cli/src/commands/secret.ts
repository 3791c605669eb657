/** `postrider secret …`: replaces the secret key, or accepts that one is lost. */
import type { Loss, Rotation } from '@postrider/server'
import { type Command, InvalidArgumentError } from 'commander'
import { refuseMissingDatabase } from '../data-folder.ts'
import { exitCodes } from '../failure.ts'
import { plain } from '../plain.ts'
import { serverModules } from '../server-modules.ts'
import { type Session, sessionOf } from '../session.ts'

export function addSecret(program: Command): void {
  const secret = program
    .command('secret')
    .description('Replace the secret key, or accept that it is lost.')
    .addHelpText(
      'after',
      `
The secret key encrypts what is stored of credentials. It is POSTRIDER_SECRET_KEY, or secret.key in the data folder.
A server refuses to start with another key than the one of its database. Stop every node first.`,
    )
  addRotate(secret)
  addAcceptLoss(secret)
}

function addRotate(secret: Command): void {
  secret
    .command('rotate')
    .description('Encrypt everything stored with a new secret key.')
    .argument('[file]', 'for a key that comes from POSTRIDER_SECRET_KEY: where the new one is, or is made', fileName)
    .addHelpText(
      'after',
      `
Examples:
  $ postrider secret rotate
  $ postrider secret rotate /run/secrets/postrider-key-2

Messages that wait, their ids and kept replies stay as they are; tokens that were issued end. After an interruption,
run the same command again: until it is finished no server starts.
Copies of the database made before need the key of their time.`,
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
      ? `Before the next start, give every node the new key: POSTRIDER_SECRET_KEY_FILE=${rotation.keyFile}`
      : `Keep a copy of ${rotation.keyFile} apart. The key before it is ${rotation.previousKeyFile}: copies of the database made until now need it.`,
  )
}

function rotationText({ previous, current, rows, unreadable }: Rotation): string {
  const counts = Object.entries(rows).map(([content, count]) => counted(count, content))
  const lines = [`The secret key is ${current} instead of ${previous}.`]
  if (counts.length > 0) lines.push(`Encrypted anew: ${counts.join(', ')}.`)
  if (unreadable.length > 0) lines.push('Unreadable before, and still:', ...unreadable.map(lossLine))
  return lines.join('\n')
}

function addAcceptLoss(secret: Command): void {
  secret
    .command('accept-loss')
    .description('List what cannot be read without the key of the database, and with --yes continue without it.')
    .option('--yes', 'make the key at hand the key of the database')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider secret accept-loss
  $ postrider secret accept-loss --yes

Without --yes nothing is changed, and the exit code is 1 when something would be lost.`,
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
      ? 'Nothing to accept: the secret key is the one of the database.'
      : ['The secret key is the one of the database. Encrypted with other keys:', ...lines].join('\n')
  lines.push(
    '  issued tokens',
    '  the ids of messages of bulk jobs by their recipients, and the pseudonyms of people who were erased',
  )
  return acceptedFrom === undefined
    ? [
        'Without the key of the database these are lost:',
        ...lines,
        '',
        'Nothing was changed. To continue without them: postrider secret accept-loss --yes',
      ].join('\n')
    : [
        `The database belongs to the secret key of ${plain(acceptedFrom)} now. Lost:`,
        ...lines,
        '',
        'Give integrations and webhooks their secrets anew: PUT /providers/:id, PUT /webhooks/:id.',
      ].join('\n')
}

function lossLine({ content, count, titles }: Loss['unreadable'][number]): string {
  const more = count > titles.length ? ['…'] : []
  const names = titles.length > 0 ? `: ${[...titles.map(plain), ...more].join(', ')}` : ''
  return `  the secrets of ${counted(count, content)}${names}`
}

/** `contents` is a regular plural. */
const counted = (count: number, contents: string) => `${count} ${count === 1 ? contents.slice(0, -1) : contents}`

function fileName(text: string): string {
  if (text === '' || text === '-') throw new InvalidArgumentError('It is the name of a file.')
  return text
}
