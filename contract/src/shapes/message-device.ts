/** A device of a recipient in messages: named without its token. */
import { type Static, Type } from 'typebox'

export const MessageDevice = Type.Object(
  {
    id: Type.String({ description: 'Id of the device: the same in every message, derived from its token.' }),
    name: Type.Optional(Type.String({ description: 'Model and platform, where they were stored with the token.' })),
  },
  { title: 'MessageDevice', description: 'Device of a push delivery; its token is not shown.' },
)
export type MessageDevice = Static<typeof MessageDevice>
