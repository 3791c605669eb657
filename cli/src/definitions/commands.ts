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

const folderOption = ({ folder }: Kind) => ['--dir <folder>', 'the folder of the files', folder] as const

function addPull(parent: Command, kind: Kind): void {
  const { plural } = kind
  parent
    .command('pull')
    .description(`Write the ${plural} of the server into a folder.`)
    .argument('[names...]', 'only these')
    .option(...folderOption(kind))
    .option('--overwrite', 'also over files that were changed since the last pull or push')
    .option('--delete', 'remove files of what was removed on the server')
    .addHelpText(
      'after',
      `
Each is a file, <name>.json; longer texts stand in files of their own, in a folder of that name. Files that were
changed here stay; where the server was changed as well, nothing is written without --overwrite.

Examples:
  $ postrider ${plural} pull
  $ postrider ${plural} pull --dir config/${plural} welcome`,
    )
    .action(async (names: string[], options: PullFlags, command: Command) =>
      pull(sessionOf(command), kind, { overwrite: false, delete: false, ...options, names }),
    )
}

function addPush(parent: Command, kind: Kind, publishes: boolean): void {
  const { plural } = kind
  const command = parent
    .command('push')
    .description(`Write the ${plural} of a folder to the server, after showing what is different.`)
    .argument('[names...]', 'only these')
    .option(...folderOption(kind))
    .option('-y, --yes', 'do not ask')
    .option('-n, --dry-run', 'show and check, and write nothing; the exit code is 4 when there is something to do')
    .option('--delete', 'remove from the server what the folder does not have')
    .option('--overwrite', 'also over what was changed on the server since the last pull or push')
    .option('--base <folder>', 'the folder as it was pushed last, in place of what the last pull or push noted')
  if (publishes) command.option('--publish', 'publish what is written, and drafts that are the same already')
  command
    .addHelpText(
      'after',
      `
Everything is checked by the server before anything is written. It is refused when the server has other ${plural}
than when this folder was last the same: where nothing is known of that, as in a fresh checkout, --base names the
folder as it was pushed last, and --overwrite lets the folder win. A push that was interrupted is repeated.

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
    .argument('[names...]', 'only these')
    .option(...folderOption(kind))
    .option('--base <folder>', 'the folder as it was pushed last, in place of what the last pull or push noted')
    .addHelpText(
      'after',
      `
The exit code is 4 when they differ.

Examples:
  $ postrider ${plural} diff
  $ postrider ${plural} diff welcome --json`,
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
