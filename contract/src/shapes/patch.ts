/** One operation of a JSON Patch (RFC 6902). */
import { type Static, Type } from 'typebox'
import { textCharactersMax } from '../api/limits.ts'

/** One patch is one transaction over one document. */
export const patchOperationsMax = 100

const pointer = (description: string) => Type.String({ maxLength: textCharactersMax, description })

export const PatchOperation = Type.Object(
  {
    op: Type.Enum(['add', 'remove', 'replace', 'move', 'copy', 'test'], { description: 'Operation.' }),
    path: pointer('JSON Pointer into the profile or token; a top-level key is `/<key>` or, for some clients, `<key>`.'),
    from: Type.Optional(pointer('Source of `move` and `copy`.')),
    value: Type.Optional(Type.Unknown({ description: 'Value of `add`, `replace` and `test`; any JSON.' })),
  },
  { title: 'PatchOperation', description: 'A JSON Patch operation (RFC 6902).' },
)
export type PatchOperation = Static<typeof PatchOperation>
