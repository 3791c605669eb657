/** `postrider templates types`: template variables as a TypeScript declaration, against which sends are checked. */
import { existsSync, readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { isPostriderError, type NotificationInput, type Postrider } from '@postrider/client'
import type { Command } from 'commander'
import { inParallel } from '../../../definitions/definition.ts'
import { readFolder } from '../../../definitions/folder.ts'
import { templates as kind } from '../../../definitions/template-kind.ts'
import { exitCodes, Failure } from '../../../failure.ts'
import { plain } from '../../../plain.ts'
import { runningClientOf, type Session, sessionOf } from '../../../session.ts'
import { declarationOf, type TypedTemplate } from './declaration.ts'

interface TypesOptions {
  out?: string
  dir?: string
  check?: boolean
}

export function addTypes(templates: Command): void {
  templates
    .command('types')
    .description('Generate a TypeScript declaration of the templates and their variables.')
    .option('-o, --out <file>', 'file to write (default: standard output)')
    .option('--dir <folder>', 'read the templates of this folder instead of the server')
    .option('--check', 'compare with the file of --out and write nothing; exit code 4 if it differs')
    .addHelpText(
      'after',
      `
A program that includes the file can send only the declared events and templates with @postrider/client, with variables
of the declared types. The published version of a template is used, or its draft if it has none. Events mapped to a
template are included. A variable that is read under a condition, or that has a default, is optional.

Examples:
  $ postrider templates types --out src/postrider-templates.ts
  $ postrider templates types --dir templates --out src/postrider-templates.ts --check`,
    )
    .action(async (options: TypesOptions, command: Command) => types(sessionOf(command), options))
}

async function types(session: Session, { out, dir, check }: TypesOptions): Promise<void> {
  const { terminal } = session
  if (check && out === undefined)
    throw new Failure('--check needs --out', {
      hint: 'Give the file to compare with --out <file>.',
      exitCode: exitCodes.wrong,
    })
  const client = await runningClientOf(session)
  const sources = dir === undefined ? await ofServer(session, client) : ofFolder(dir)
  const typed = await inParallel(sources, (source) => inspected(client, source))
  const templates = [...typed, ...(await eventsOf(client, typed))]
  const text = declarationOf(templates)
  if (out === undefined) {
    terminal.answer({ templates }, () => text.trimEnd())
    return
  }
  const isSame = existsSync(out) && readFileSync(out, 'utf8').replaceAll('\r\n', '\n') === text
  if (check && !isSame) process.exitCode = exitCodes.different
  if (!check && !isSame) await replaceWhole(out, text)
  const count = `${templates.length} ${templates.length === 1 ? 'name' : 'names'}`
  terminal.answer({ file: out, same: isSame, names: templates.map(({ name }) => name) }, () =>
    isSame
      ? `${plain(out)} is up to date: ${count}.`
      : check
        ? `${plain(out)} does not match the templates. Run the command without --check to update it.`
        : `${plain(out)} written: ${count}.`,
  )
}

/** A program that is compiled meanwhile sees the old one or the new one. */
async function replaceWhole(path: string, text: string): Promise<void> {
  const part = `${path}.${process.pid}.part`
  await writeFile(part, text)
  await rename(part, path)
}

interface Source {
  name: string
  notification: NotificationInput
}

function ofFolder(dir: string): Source[] {
  return readFolder(dir, kind).map(({ name, document }) => ({
    name,
    notification: document as unknown as NotificationInput,
  }))
}

async function ofServer({ terminal }: Session, { notifications }: Postrider): Promise<Source[]> {
  terminal.progress.step('Reading the templates …')
  try {
    const ids: string[] = []
    for await (const { id } of notifications.list({ limit: 100 })) ids.push(id)
    const sources = await inParallel(
      ids,
      async (id): Promise<Source | undefined> => {
        try {
          const { alias, name, content, settings } = await notifications.get(id)
          return { name: alias ?? id, notification: { name, content, settings } }
        } catch (error) {
          // Archived meanwhile.
          if (isPostriderError(error, 'not_found')) return undefined
          throw error
        }
      },
      (done, all) => terminal.progress.update(`Reading the templates: ${done} of ${all}`),
    )
    return sources.flatMap((source) => source ?? [])
  } finally {
    terminal.progress.end()
  }
}

async function inspected({ notifications }: Postrider, { name, notification }: Source): Promise<TypedTemplate> {
  try {
    const { variables, snippets } = await notifications.inspect({ notification })
    return { name, title: notification.name, variables, isOpen: snippets.length > 0 }
  } catch (error) {
    if (!isPostriderError(error, 'invalid_request')) throw error
    throw new Failure(`${plain(name)}: ${error.message}`, { cause: error })
  }
}

/** Events under their own names; one that has the name of a template leads to what it is mapped to. */
async function eventsOf({ events, notifications }: Postrider, typed: TypedTemplate[]): Promise<TypedTemplate[]> {
  const byName = new Map(typed.map((template) => [template.name, template]))
  const nameById = new Map<string, string>()
  for await (const { id, alias } of notifications.list({ limit: 100 })) if (alias !== undefined) nameById.set(id, alias)
  const { results } = await events.list()
  return results.flatMap(({ event, id }) => {
    const template = byName.get(nameById.get(id) ?? id)
    return template && !byName.has(event) ? [{ ...template, name: event }] : []
  })
}
