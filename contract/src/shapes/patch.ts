/** One operation of a JSON Patch (RFC 6902). */
import { type Static, Type } from 'typebox'
import { textCharactersMax } from '../api/limits.ts'

/** One patch is one transaction over one document. */
export const patchOperationsMax = 100

const pointer = (description: string) => Type.String({ maxLength: textCharactersMax, description })

export const PatchOperation = Type.Object(
  {
    op: Type.Enum(['add', 'remove', 'replace', 'move', 'copy', 'test'], { description: 'What to do.' }),
    path: pointer(
      'JSON Pointer into the profile or token; a top-level key is `/<key>`, or `<key>` as some clients send it.',
    ),
    from: Type.Optional(pointer('Where `move` and `copy` take the value from.')),
    value: Type.Optional(Type.Unknown({ description: 'The value of `add`, `replace` and `test`; any JSON.' })),
  },
  { title: 'PatchOperation', description: 'One operation of RFC 6902.' },
)
export type PatchOperation = Static<typeof PatchOperation>
