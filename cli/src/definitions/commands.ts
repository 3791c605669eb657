/** The commands that all kinds of definitions have: `pull`, `push` and `diff`, on a folder under version control. */
import type { Command } from 'commander'
import { exitCodes } from '../failure.ts'
import { runningClientOf, type Session, sessionOf } from '../session.ts'
import type { DefinitionKind } from './definition.ts'
import { planJson, planText } from './plan-text.ts'
import { type PullOptions, pull } from './pull.ts'
import { compareSides, push } from './push.ts'
import type { PushOptions } from './push-plan.ts'

type Kind = DefinitionKind<PushOptions>
/** A flag that is not given is absent. */
type PullFlags = Partial<PullOptions> & Pick<PullOptions, 'dir'>
type PushFlags = Partial<PushOptions> & Pick<PushOptions, 'dir'>

/** `publishes`: what is written is a draft at first. */
export function addFolderCommands(parent: Command, kind: Kind, { publishes }: { publishes: boolean }): void {
  addPull(parent, kind)
  addPush(parent, kind, publishes)
  addDiff(parent, kind)
}

const folderOption = ({ folder }: Kind) => ['--dir <folder>', 'folder of the files', folder] as const

const exampleName = ({ textFile }: Kind) => (textFile ? 'de' : 'welcome')

const filesOf = ({ textFile }: Kind) =>
  textFile
    ? `Each is written to <name>.${textFile.extension}, as it is stored.`
    : 'Each is written to <name>.json, with longer texts in separate files in a folder of the same name.'

function addPull(parent: Command, kind: Kind): void {
  const { plural } = kind
  parent
    .command('pull')
    .description(`Write the ${plural} of the server to files in a folder.`)
    .argument('[names...]', `only these ${plural}`)
    .option(...folderOption(kind))
    .option('--overwrite', 'also overwrite files that changed since the last pull or push')
    .option('--delete', `remove the files of ${plural} that were removed on the server`)
    .addHelpText(
      'after',
      `
${filesOf(kind)} Locally changed files
are kept. If one was changed both locally and on the server, nothing is written without --overwrite.

Examples:
  $ postrider ${plural} pull
  $ postrider ${plural} pull --dir config/${plural} ${exampleName(kind)}`,
    )
    .action(async (names: string[], options: PullFlags, command: Command) =>
      pull(sessionOf(command), kind, { overwrite: false, delete: false, ...options, names }),
    )
}

function addPush(parent: Command, kind: Kind, publishes: boolean): void {
  const { plural } = kind
  const command = parent
    .command('push')
    .description(`Write the ${plural} of a folder to the server, after showing the differences.`)
    .argument('[names...]', `only these ${plural}`)
    .option(...folderOption(kind))
    .option('-y, --yes', 'do not ask for confirmation')
    .option('-n, --dry-run', 'show and check the changes without writing; exit code 4 if there are any')
    .option('--delete', `remove ${plural} from the server that are not in the folder`)
    .option('--overwrite', `also overwrite ${plural} that changed on the server since the last pull or push`)
    .option(
      '--base <folder>',
      'copy of the folder as it was last pushed, for checkouts without a record of a pull or push',
    )
  if (publishes) command.option('--publish', 'publish the written drafts, and drafts that are already the same')
  command
    .addHelpText(
      'after',
      `
The server checks everything before anything is written. A push is rejected if the ${plural} on the server have changed
since the last pull or push of this folder. A fresh checkout has no record of that: give a copy of the folder as it was
last pushed with --base, or replace the ${plural} of the server with --overwrite. An interrupted push can be repeated.

Examples:
  $ postrider ${plural} push
  $ postrider ${plural} push --dry-run
  $ postrider ${plural} push --yes${publishes ? ' --publish' : ''} --base ../before/${plural}`,
    )
    .action(async (names: string[], options: PushFlags, command: Command) =>
      push(sessionOf(command), kind, {
        yes: false,
        dryRun: false,
        delete: false,
        overwrite: false,
        ...options,
        names,
      }),
    )
}

interface DiffOptions {
  dir: string
  base?: string
}

function addDiff(parent: Command, kind: Kind): void {
  const { plural } = kind
  parent
    .command('diff')
    .description(`Show how the ${plural} of a folder and of the server differ.`)
    .argument('[names...]', `only these ${plural}`)
    .option(...folderOption(kind))
    .option(
      '--base <folder>',
      'copy of the folder as it was last pushed, for checkouts without a record of a pull or push',
    )
    .addHelpText(
      'after',
      `
The exit code is 4 if they differ.

Examples:
  $ postrider ${plural} diff
  $ postrider ${plural} diff ${exampleName(kind)} --json`,
    )
    .action(async (names: string[], options: DiffOptions, command: Command) =>
      diff(sessionOf(command), kind, names, options),
    )
}

async function diff(session: Session, kind: Kind, names: readonly string[], options: DiffOptions): Promise<void> {
  const { terminal } = session
  const { compared } = await compareSides(session, await runningClientOf(session), kind, { ...options, names })
  terminal.answer(planJson(kind, compared, false), () => planText(terminal, kind, compared))
  if (compared.some(({ difference }) => difference !== 'same')) process.exitCode = exitCodes.different
}
