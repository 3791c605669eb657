/** Sends that are checked against the templates of a server, once `postrider templates types` has declared them. */

/**
 * The variables of each template by the names it is sent by. Empty until a declaration fills it; as long as it is empty,
 * `send` takes any event and any data.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface Templates {}

/** What a variable in a text may be; anything else is written as JSON. */
export type TemplateValue = string | number | boolean

type Name = Extract<keyof Templates, string>
type Nothing = Record<never, never>
type DataOf<Data> = Nothing extends Data ? { data?: Data | null | undefined } : { data: Data }

/** A send of the first generation: with an event that is declared, and its variables. */
export type TypedSend<Body> = [Name] extends [never]
  ? Body
  : { [Event in Name]: Omit<Body, 'event' | 'data'> & { event: Event } & DataOf<Templates[Event]> }[Name]

type DataOfRecipients = { data: Record<string, unknown> }

/** The variables of a template, unless each recipient brings data of its own. */
type MessageData<To, Data> =
  | ({ to: To } & DataOf<Data>)
  | {
      to: (To & DataOfRecipients) | Array<Extract<To, readonly unknown[]>[number] & DataOfRecipients>
      data?: Partial<Data>
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

/** The reply follows from the generation of the body. */
export interface SendCall<First, FirstReply, Second extends { message: { to: unknown } }, SecondReply, Options> {
  (body: TypedMessage<Second>, options?: Options): Promise<SecondReply>
  (body: TypedSend<First>, options?: Options): Promise<FirstReply>
  (body: TypedSend<First> | TypedMessage<Second>, options?: Options): Promise<FirstReply | SecondReply>
}
