/** Sends that are checked against the templates of a server, once `postrider templates types` has declared them. */

/**
 * The variables of each template by the names it is sent by. Empty until a declaration fills it; as long as it is empty,
 * `send` takes any event and any data.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface Templates {}

/** The types of a variable in a text; anything else is written as JSON. */
export type TemplateValue = string | number | boolean

type Name = Extract<keyof Templates, string>
type Nothing = Record<never, never>
type DataOf<Data> = Nothing extends Data ? { data?: Data | null | undefined } : { data: Data }

/** A send of the first generation: with an event that is declared, and its variables. */
export type TypedSend<Body> = [Name] extends [never]
  ? Body
  : { [Event in Name]: Omit<Body, 'event' | 'data'> & { event: Event } & DataOf<Templates[Event]> }[Name]

/** The name of a template in a step of an automation. */
export type TemplateName = [Name] extends [never] ? string : Name

type OneOf<To> = Exclude<To, readonly unknown[]>
/** A recipient with data of a template; each form of a recipient keeps its fields. */
type With<Recipient, Data> = Recipient extends unknown ? Omit<Recipient, 'data'> & Data : never
type OneOrMany<Recipient> = Recipient | Recipient[]

/** The variables of a template, from the message and from each recipient: together they are complete. */
type MessageData<To, Data> =
  | ({ to: OneOrMany<With<OneOf<To>, { data?: Partial<Data> | null | undefined }>> } & DataOf<Data>)
  | {
      to: OneOrMany<With<OneOf<To>, { data: Data }>>
      data?: Partial<Data> | null | undefined
    }

/** A send of the second generation: with a template that is declared and its variables, or with content. */
export type TypedMessage<Body extends { message: { to: unknown } }> = [Name] extends [never]
  ? Body
  : {
      message:
        | (Omit<Body['message'], 'template'> & { template?: null | undefined })
        | {
            [Template in Name]: Omit<Body['message'], 'template' | 'data' | 'to'> & {
              template: Template
            } & MessageData<Body['message']['to'], Templates[Template]>
          }[Name]
    }

type BulkContent = 'event' | 'template' | 'data'
type NoContent = { event?: null | undefined; template?: null | undefined }
type PartOf<Data> = { data?: Partial<Data> | null | undefined }

/** A message of the second generation inside a bulk job; its users can add variables. */
type TypedBulkMessage<Message> =
  | (Omit<Message, 'template'> & { template?: null | undefined })
  | {
      [Template in Name]: Omit<Message, 'template' | 'data'> & { template: Template } & PartOf<Templates[Template]>
    }[Name]

/** A bulk job: its event or template is declared, and so is each variable; each user can bring what is missing. */
export type TypedBulk<Body extends { message: { message?: unknown } }> = [Name] extends [never]
  ? Body
  : {
      message:
        | (Omit<Body['message'], 'event' | 'template' | 'message'> &
            NoContent & { message?: TypedBulkMessage<NonNullable<Body['message']['message']>> | null | undefined })
        | {
            [Template in Name]: Omit<Body['message'], BulkContent | 'message'> &
              ({ event: Template } | { template: Template }) &
              PartOf<Templates[Template]>
          }[Name]
    }

/** The reply follows from the generation of the body. */
export interface SendCall<First, FirstReply, Second extends { message: { to: unknown } }, SecondReply, Options> {
  (body: TypedMessage<Second>, options?: Options): Promise<SecondReply>
  (body: TypedSend<First>, options?: Options): Promise<FirstReply>
  (body: TypedSend<First> | TypedMessage<Second>, options?: Options): Promise<FirstReply | SecondReply>
}
