/**
 * Copies from a source to a target, each record under its id. A record that the target has stays as it is, unless it is to
 * be replaced, so that a copy can be repeated.
 */
import { isPostriderError, type Postrider } from '@postrider/client'
import { exitCodes, Failure } from '../failure.ts'
import { plain } from '../plain.ts'
import { concurrently, stopped } from '../rows/batches.ts'
import type { JsonObject } from '../rows/columns.ts'
import { type Api, idOf, isNotServed, isRejected, pathOf, RETRIES, read, readPages } from './api.ts'
import type { TemplateIds } from './choices.ts'
import { afterTemplates, beforeTemplates, type RecordKind, type SourceRecord } from './records.ts'
import { type Affiliations, findUsers } from './source-users.ts'
import { templateOf, templates } from './templates.ts'
import { copyUser, type UserCopy, type Write } from './users.ts'

export const copyKinds = [
  ...beforeTemplates.map(({ name }) => name),
  ...['templates', 'events'],
  ...afterTemplates.map(({ name }) => name),
  'users',
]

export interface CopyRequest {
  source: Api
  target: Postrider
  kinds: ReadonlySet<string>
  /** Users to copy beside those that the source lists. */
  userIds: readonly string[]
  overwrite: boolean
  dryRun: boolean
  concurrency: number
  stop: AbortSignal
  onProgress(text: string): void
  onWarning(text: string): void
}

export interface CopyCount {
  kind: string
  copied: number
  /** Records that the target has, left as they are. */
  present: number
  failed: number
}

/** Filled while the copy runs, for a copy that ends early. */
export interface CopyReport {
  counts: CopyCount[]
  problems: number
  /** The first problems. A record can have several. */
  failures: { kind: string; id: string; problem: string }[]
  /** Lists that the source does not have, or not for this key. */
  notServed: string[]
}

/** Enough to see what is wrong. */
const FAILURES_LISTED = 100
/** A server that fails for so many records after one another is down: the copy ends. */
const FAILED_IN_A_ROW_MAX = 10

type Outcome = 'copied' | 'present' | 'failed'

interface Run extends CopyRequest, Omit<UserCopy, 'target'> {
  report: CopyReport
  failedInARow: number
}

export async function copy(request: CopyRequest, report: CopyReport): Promise<void> {
  const { target, onWarning } = request
  const run: Run = {
    ...{ ...request, report, failedInARow: 0, lists: new Set() },
    actor: await actorOf(target),
    templateAtTarget: remembered((name) => templateAt(target, name)),
    isListAtTarget: remembered(async (id) => (await read(target, ['lists', id])) !== undefined),
    write: ({ path, ifAbsent, ...rest }) =>
      target.call<JsonObject | undefined>({
        ...rest,
        path: pathOf(path),
        options: {
          ...{ retries: RETRIES, ifAbsent },
          onWarning: (warnings) => {
            for (const warning of warnings) onWarning(`${path.join(' ')}: ${warning}`)
          },
        },
      }),
  }
  for (const kind of beforeTemplates) await copyRecords(run, kind)
  if (run.kinds.has('templates'))
    await eachOf(run, 'templates', templates(run.source), (each) => copyTemplate(run, each))
  if (run.kinds.has('events')) await eachOf(run, 'events', events(run.source), (each) => copyEvent(run, each))
  for (const kind of afterTemplates) await copyRecords(run, kind)
  if (run.kinds.has('users')) await copyUsers(run)
}

/** Throws for a key that cannot write everything: half of a copy would be refused. */
async function actorOf({ sessions }: Postrider): Promise<string> {
  const { key, kind, role } = await sessions.identity({ retries: RETRIES })
  if (kind === 'published' && role === 'full') return `key/${key.name}`
  throw new Failure(`The key \`${plain(key.name)}\` of this server cannot write everything that is copied`, {
    hint: 'A copy needs a published key with the role full: postrider keys create --name copy',
    exitCode: exitCodes.wrong,
  })
}

/** Looks each id up once; a look-up that failed is made again. */
function remembered<T>(find: (id: string) => Promise<T>): (id: string) => Promise<T> {
  const results = new Map<string, Promise<T>>()
  return (id) => {
    const result = results.get(id) ?? find(id)
    results.set(id, result)
    result.catch(() => results.delete(id))
    return result
  }
}

/** The template that a name of the source stands for. */
async function templateAt(target: Api, name: string): Promise<TemplateIds> {
  try {
    const byAlias = idOf((await read(target, ['notifications', name]))?.id)
    return byAlias === undefined ? { byEvent: idOf((await read(target, ['events', name]))?.id) } : { byAlias }
  } catch (error) {
    if (isRejected(error)) return {}
    throw error
  }
}

/** Copies the records of a list that the source may not have. */
async function eachOf<T extends { id: string }>(
  run: Run,
  kind: string,
  records: AsyncGenerator<T>,
  work: (record: T) => Promise<Outcome>,
): Promise<void> {
  const next = async () => {
    const { value, done } = await records.next()
    return done ? undefined : value
  }
  const first = await next().catch((error: unknown) => {
    if (!isNotServed(error)) throw error
    return 'notServed' as const
  })
  if (first === 'notServed') return void run.report.notServed.push(kind)
  const count = countOf(run, kind)
  for (let each = first; each !== undefined; each = await next()) {
    const record = each
    await copyRecord(run, count, record.id, () => work(record))
    run.onProgress(`${kind}: ${handled(count)}`)
  }
}

function countOf({ report }: Run, kind: string): CopyCount {
  const count = { kind, copied: 0, present: 0, failed: 0 }
  report.counts.push(count)
  return count
}

const handled = ({ copied, present, failed }: CopyCount) => copied + present + failed

function addFailure({ report }: Run, kind: string, id: string, problem: string): Outcome {
  report.problems += 1
  if (report.failures.length < FAILURES_LISTED) report.failures.push({ kind, id, problem })
  return 'failed'
}

/** An error of one record is its failure; one of a server that fails for all of them is thrown. */
async function copyRecord(run: Run, count: CopyCount, id: string, work: () => Promise<Outcome>): Promise<void> {
  if (run.stop.aborted) throw stopped('Run the command again.')
  const { kind } = count
  try {
    count[await work()] += 1
    run.failedInARow = 0
  } catch (error) {
    const isOfServer = isPostriderError(error) && ['server', 'timeout', 'invalid_answer'].includes(error.kind)
    if (isOfServer) run.failedInARow += 1
    if (!isRejected(error) && !(isOfServer && run.failedInARow < FAILED_IN_A_ROW_MAX)) throw error
    count[addFailure(run, kind, id, error.message)] += 1
  }
}

async function copyRecords(run: Run, kind: RecordKind): Promise<void> {
  if (!run.kinds.has(kind.name)) return
  const { target, source, overwrite, dryRun } = run
  await eachOf(run, kind.name, kind.records(source), async (each) => {
    const isPresent = (await read(target, kind.path(each))) !== undefined
    if (isPresent && !overwrite) return 'present'
    const { createAt } = kind
    if (dryRun) return 'copied'
    const body = await kind.body(each, run)
    if (createAt && !isPresent)
      await run.write({ method: 'POST', path: createAt(each), body: { id: each.id, ...body } })
    else await run.write({ method: 'PUT', path: kind.path(each), body })
    return 'copied'
  })
}

async function copyTemplate(run: Run, entry: SourceRecord): Promise<Outcome> {
  const { source, target, overwrite, dryRun, onWarning } = run
  const { id, alias, state, warnings, value } = await templateOf(source, entry)
  const record = await read(target, ['notifications', alias])
  // Programs and preferences name the template by the id that it has at the source.
  const event = alias === id ? undefined : await read(target, ['events', id])
  const isMapped = alias === id || (event !== undefined && (!overwrite || event.id === record?.id))
  if (record && isMapped && !overwrite) return 'present'
  if (record && !overwrite && record.name !== value.name)
    return addFailure(run, 'templates', id, `Another template of this server has the alias \`${alias}\``)
  if (dryRun) return 'copied'
  let idAtTarget = idOf(record?.id)
  if (!record || overwrite) {
    for (const warning of warnings) onWarning(`templates ${id}: ${warning}`)
    const body = { notification: { ...value, alias }, state }
    const written = await run.write(
      idAtTarget === undefined
        ? { method: 'POST', path: ['notifications'], body }
        : { method: 'PUT', path: ['notifications', idAtTarget], body },
    )
    idAtTarget = idOf(written?.id)
  }
  if (!isMapped) await run.write(mapping(id, idAtTarget))
  return 'copied'
}

const mapping = (event: string, template: string | undefined): Write => ({
  method: 'PUT',
  path: ['events', event],
  body: { id: template, type: 'notification' },
})

async function* events(source: Api) {
  for await (const { event, id } of readPages(source, ['events'])) {
    const [name, template] = [idOf(event), idOf(id)]
    if (name !== undefined && template !== undefined) yield { id: name, template }
  }
}

async function copyEvent(run: Run, { id, template }: { id: string; template: string }): Promise<Outcome> {
  if (!run.overwrite && (await read(run.target, ['events', id]))) return 'present'
  const { byAlias, byEvent } = await run.templateAtTarget(template)
  const idAtTarget = byAlias ?? byEvent
  // In a dry run its template is not copied yet.
  if (run.dryRun) return 'copied'
  if (idAtTarget === undefined)
    return addFailure(run, 'events', id, `Its template \`${template}\` is not on this server`)
  await run.write(mapping(id, idAtTarget))
  return 'copied'
}

async function copyUsers(run: Run): Promise<void> {
  const { source, userIds, concurrency, onProgress, report } = run
  const { users, lists } = await findUsers({
    ...{ source, userIds, target: run.target, stop: run.stop },
    onProgress: (count) => onProgress(`users: ${count} listed`),
    onNotServed: (list) => report.notServed.push(`users of ${list}`),
    onProblem: (list, problem) => addFailure(run, 'users', `in ${list}`, problem),
  })
  const count = countOf(run, 'users')
  const from = { ...run, lists }
  await concurrently([...users], concurrency, async ([id, affiliations]) => {
    await copyRecord(run, count, id, () => userOutcome(run, from, id, affiliations))
    onProgress(`users: ${handled(count)} of ${users.size}`)
  })
}

async function userOutcome(run: Run, from: UserCopy, id: string, affiliations: Affiliations): Promise<Outcome> {
  const result = await copyUser(from, id, affiliations)
  if (!result) return addFailure(run, 'users', id, 'The other server has nothing of this user')
  for (const problem of result.problems) addFailure(run, 'users', id, problem)
  if (result.problems.length > 0) return 'failed'
  return result.parts > 0 ? 'copied' : 'present'
}
