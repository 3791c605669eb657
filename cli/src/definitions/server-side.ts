/** The definitions of a server, read with their progress on the terminal. */
import type { Postrider } from '@postrider/client'
import { exitCodes, Failure } from '../failure.ts'
import { plain } from '../plain.ts'
import type { Session } from '../session.ts'
import { type Definition, type DefinitionKind, inParallel, type ServerDefinition } from './definition.ts'

/** Those with one of these names; all of them when there are none. */
export async function readServer(
  { terminal, server }: Session,
  client: Postrider,
  kind: DefinitionKind,
  names: readonly string[],
): Promise<ServerDefinition[]> {
  terminal.progress.step(`Reading the ${kind.plural} of ${server.url} …`)
  try {
    if (names.length === 0)
      return await kind.readAll(client, (done, all) =>
        terminal.progress.update(`Reading the ${kind.plural} of ${server.url}: ${done} of ${all}`),
      )
    const definitions = await inParallel([...new Set(names)], (name) => kind.readOne(client, name))
    return definitions.flatMap((each) => each ?? [])
  } finally {
    terminal.progress.end()
  }
}

export function refuseUnknownNames(
  kind: DefinitionKind,
  names: readonly string[],
  definitions: readonly Definition[],
): void {
  const missing = names.filter((name) => !definitions.some((each) => each.name === name))
  if (missing.length > 0)
    throw new Failure(`Unknown ${missing.length === 1 ? kind.noun : kind.plural}: ${missing.map(plain).join(', ')}`, {
      hint: `To see the ${kind.plural} of the server: postrider ${kind.plural} list`,
      exitCode: exitCodes.wrong,
    })
}
