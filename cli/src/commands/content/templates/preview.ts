/** `postrider templates preview`: a template as a recipient would get it, in the terminal, in a browser, in files, or as a test. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { NotificationInput, NotificationPreview, NotificationPreviewRequest, Postrider } from '@postrider/client'
import type { Command } from 'commander'
import { assign, type Fields } from '../../../assign.ts'
import { canOpenBrowser, openBrowser } from '../../../browser.ts'
import { readFolder } from '../../../definitions/folder.ts'
import { templates as kind } from '../../../definitions/template-kind.ts'
import { exitCodes, Failure, notReached, unknown } from '../../../failure.ts'
import { readObject } from '../../../json-file.ts'
import { plain } from '../../../plain.ts'
import { withReach } from '../../../reach.ts'
import { renderedText } from '../../../rendered-text.ts'
import { clientOf, presenceOf, type Session, sessionOf } from '../../../session.ts'
import type { Terminal } from '../../../terminal.ts'
import { previewFiles, writeFiles } from './preview-files.ts'
import type { PreviewCaption } from './preview-page.ts'
import { checkAddresses, isFailedTest, sendTest, type TestResult, testText } from './test-send.ts'

interface PreviewOptions {
  data?: Fields
  dataFile?: string
  as?: string
  locale?: string
  brand?: string
  tenant?: string
  channel?: string[]
  dir?: string
  open?: boolean
  out?: string
  sendTo?: string[]
  strict?: boolean
}

export function addPreview(templates: Command): void {
  templates
    .command('preview')
    .description('Show a template as a recipient would get it: mail, SMS, push; send a test of it.')
    .argument('<name>', 'alias or id of the template, or event mapped to it')
    .argument('[version]', 'draft, published or a version such as v3 (default: published, or the draft if unpublished)')
    .option('-d, --data <key=value>', 'value of a template variable; key:=json for values other than text', assign)
    .option('--data-file <file>', 'values of template variables as a JSON object, from a file or - (standard input)')
    .option('--as <user>', 'render with the stored profile of this user')
    .option('--locale <locale>', 'render in this locale')
    .option('--brand <id>', 'render with this brand')
    .option('--tenant <id>', 'render as in this tenant')
    .option('--channel <names...>', 'only these channels, or providers for text in their markup')
    .option('--dir <folder>', 'read the template from the files of this folder, before it is pushed')
    .option('--open', 'open the preview in a browser')
    .option('-o, --out <folder>', 'write the preview to files in this folder: index.html, email.html, sms.txt, …')
    .option('--send-to <addresses...>', 'send a test to these email addresses and phone numbers')
    .option('--strict', 'exit with 1 and send nothing if there is a warning, such as a variable without a value')
    .addHelpText(
      'after',
      `
Addresses, preferences, conditions and integrations do not stop a preview; for the decision on a send: postrider explain.
With --send-to, the template is sent as it is shown, by the integration of a real message, and the command waits for the
result. The exit code is 1 if a message would fail, or a test fails.

Examples:
  $ postrider templates preview order-shipped --data number=7 --as ada --open
  $ postrider templates preview order-shipped draft --data-file order.json --locale de
  $ postrider templates preview order-shipped --dir templates --data-file order.json --out preview --strict
  $ postrider templates preview order-shipped --data number=7 --send-to me@example.com +12025550143`,
    )
    .action(async (name: string, version: string | undefined, options: PreviewOptions, command: Command) =>
      preview(sessionOf(command), name, version, options),
    )
}

async function preview(
  session: Session,
  name: string,
  version: string | undefined,
  options: PreviewOptions,
): Promise<void> {
  const { terminal } = session
  const { as: user, sendTo = [], strict = false } = options
  checkAddresses(sendTo)
  const local = localTemplate(name, version, options)
  const sender = sendTo.length > 0 ? await senderOf(session) : undefined
  const data = { ...(options.dataFile !== undefined && readObject(options.dataFile)), ...options.data }
  const source = local ? { notification: local } : { notification_id: name, ...(version !== undefined && { version }) }
  const request: NotificationPreviewRequest = { ...source, data, ...readerOf(options) }
  const shown = await withReach(session, ({ client }) => client.notifications.preview(request))
  for (const warning of shown.warnings) terminal.warning(warning)
  const caption: PreviewCaption = { name, version: local ? String(options.dir) : shown.notification?.version, user }
  const files = await filesOf(shown, caption, options)
  say(terminal, [previewText(terminal, caption, shown), ...fileTexts(files)].join('\n\n'))
  if (shown.missing.length > 0) terminal.note(`\n${VALUES}`)
  if (options.open && files[0] !== undefined) await open(terminal, files[0])
  const obstacle = strict && shown.warnings.length > 0 ? 'there are warnings' : undefined
  const tests: TestResult[] = []
  if (sender)
    for (const address of sendTo) {
      const test = await sendTest(session, { client: sender, preview: shown, obstacle }, address)
      tests.push(test)
      say(terminal, `\n${testText(terminal, test)}`)
    }
  if (terminal.json)
    terminal.answer({ ...shown, ...(files.length > 0 && { files }), ...(tests.length > 0 && { tests }) }, () => '')
  if (obstacle !== undefined || isFailed(shown) || tests.some(isFailedTest)) process.exitCode = exitCodes.failed
}

/** For people, at once: with JSON there is one answer at the end. */
function say(terminal: Terminal, text: string): void {
  if (!terminal.json) terminal.answer(undefined, () => text)
}

/** Only a running server sends. */
async function senderOf(session: Session): Promise<Postrider> {
  if ((await presenceOf(session)) === 'absent') throw notReached(session.server.url)
  return clientOf(session)
}

/** The paths of the files that are written, the page first. */
async function filesOf(
  preview: NotificationPreview,
  caption: PreviewCaption,
  { out, open: opens }: PreviewOptions,
): Promise<string[]> {
  const folder = out ?? (opens ? mkdtempSync(join(tmpdir(), 'postrider-preview-')) : undefined)
  return folder === undefined ? [] : await writeFiles(folder, previewFiles(preview, caption))
}

const VALUES = 'Values of variables: --data key=value or --data-file data.json; the profile of a user: --as user'

/** The template of the folder; undefined for one of the server. */
function localTemplate(
  name: string,
  version: string | undefined,
  { dir }: PreviewOptions,
): NotificationInput | undefined {
  if (version?.includes('='))
    throw new Failure(`\`${plain(version)}\` is not a version`, {
      hint: 'Each value of a variable has its own option: --data name=Ada --data number=7',
      exitCode: exitCodes.wrong,
    })
  if (dir === undefined) return undefined
  if (version !== undefined)
    throw new Failure('A folder has no versions', {
      hint: 'Give a version or --dir, and not both.',
      exitCode: exitCodes.wrong,
    })
  const [definition] = readFolder(dir, kind, [name])
  if (!definition) throw unknown('template', [name], { hint: `The files of ${dir} have none of that name.` })
  return definition.document as unknown as NotificationInput
}

/** For whom it is rendered, and how. */
const readerOf = ({ as: user, locale, brand, tenant, channel }: PreviewOptions) => ({
  ...(user !== undefined && { recipient: user }),
  ...(locale !== undefined && { locale }),
  ...(brand !== undefined && { brand_id: brand }),
  ...(tenant !== undefined && { tenant_id: tenant }),
  ...(channel && { channels: channel }),
})

function previewText(terminal: Terminal, caption: PreviewCaption, { results, locale }: NotificationPreview): string {
  const { name, version, user } = caption
  const parts = [version, user && `for ${user}`, locale && `in ${locale}`].filter(Boolean).map(plain)
  return [
    [terminal.style('bold', plain(name)), ...parts].join('  '),
    ...results.map((result) => renderedText(terminal, result)),
    ...(results.length === 0 ? ['Nothing is rendered: its routing names no channel.'] : []),
  ].join('\n\n')
}

const fileTexts = (written: readonly string[]): string[] =>
  written.length > 0 ? [['Files:', ...written.map((file) => `  ${plain(file)}`)].join('\n')] : []

async function open(terminal: Terminal, page: string): Promise<void> {
  if (canOpenBrowser()) await openBrowser(pathToFileURL(page).href)
  else terminal.note(`\nThis machine has no screen for a browser. Open the file on another one: ${plain(page)}`)
}

const isFailed = ({ results }: NotificationPreview): boolean =>
  results.length === 0 || results.some(({ error }) => error !== undefined)
