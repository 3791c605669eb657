/** Every resource and operation, and the types that follow from them. */
import type { Static, TSchema } from 'typebox'
import type { BodyOf, Operation, ParamsOf, QueryOf } from './api/operation.ts'
import { type Resource, type ResourceOperations, resourceOf } from './api/resource.ts'
import type { KeyRole } from './resources/workspace/keys.ts'
import { definitions } from './resources.generated.ts'

const all: ReadonlyArray<Resource | ResourceOperations> = definitions

/** In reading order. */
export const resources: readonly Resource[] = all
  .filter((definition): definition is Resource => 'position' in definition)
  .sort((left, right) => left.position - right.position)

export const operations: readonly Operation[] = resources.flatMap(({ name }) =>
  all
    .filter((definition) => definition.name === name)
    // The file that defines the resource first; files without a position keep their order.
    .sort((left, right) => Number('position' in right) - Number('position' in left))
    .flatMap((definition) => definition.operations),
)

const resourceByName = new Map(resources.map((resource) => [resource.name, resource]))

/** The least role of a key that may call it. */
export const roleOf = ({ id, method, role }: Operation): KeyRole =>
  role ?? (method === 'GET' ? 'viewer' : (resourceByName.get(resourceOf(id))?.role ?? 'full'))

/** Whether its replies can have addresses, names, data or words of recipients: they are masked for viewers. */
export const isPersonal = ({ id }: Operation): boolean => !resourceByName.get(resourceOf(id))?.impersonal

/** Those that the client and the command have. */
export const callerOperations: readonly Operation[] = operations.filter(({ calledBy }) => calledBy === undefined)

type Definition = (typeof definitions)[number]
type Known = Definition['operations'][number]

export type OperationId = Known['id']
export type OperationOf<Id extends OperationId> = Extract<Known, { id: Id }>

/** The validated input of a handler. The body of an operation with `bodyOptional` can be absent. */
export interface InputOf<Id extends OperationId> {
  params: ParamsOf<OperationOf<Id>>
  query: QueryOf<OperationOf<Id>>
  body: OperationOf<Id> extends { bodyOptional: true } ? BodyOf<OperationOf<Id>> | undefined : BodyOf<OperationOf<Id>>
}

/** The body of a reply with this status. */
export type ReplyOf<Id extends OperationId, Status extends number = 200> = OperationOf<Id>['replies'] extends {
  [S in Status]: infer Reply
}
  ? Reply extends TSchema
    ? Static<Reply>
    : undefined
  : never

/** The body of a successful reply; undefined where it has none. */
export type SuccessOf<Id extends OperationId> =
  | ReplyOf<Id, 200>
  | ReplyOf<Id, 201>
  | ReplyOf<Id, 202>
  | ReplyOf<Id, 204>

/** One function for each operation; `satisfies Handlers<…>` proves that none is missing. */
export type Handlers<Context, Result> = {
  [Id in OperationId]: (input: InputOf<Id>, context: Context) => Result
}

export const operationById = Object.fromEntries(
  operations.map((operation) => [operation.id, operation]),
) as unknown as {
  readonly [Id in OperationId]: OperationOf<Id>
}
