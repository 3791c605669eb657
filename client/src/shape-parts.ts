/** Building blocks of the generated types: references in steps, elements in other languages, settings by provider. */

/** A value of the run: `{ $ref: 'data.order.id' }`. */
export interface Reference {
  $ref: string
}

/** The same, with a reference in the place of any value but the one that says which step or element it is. */
export type WithReferences<Value> = Value extends object
  ? { [Key in keyof Value]: Key extends 'action' | 'type' ? Value[Key] : Reference | WithReferences<Value[Key]> }
  : Value

/** The fields of an element by locale; those that are left out stay as they are. */
export type InLocales<Element> = Record<
  string,
  Partial<Omit<Element, 'type' | 'id' | 'if' | 'loop' | 'ref' | 'channels' | 'locales'>>
>

declare const none: unique symbol
/** Not a record of `never`: the compiler would compare the settings of other providers with it, and report that. */
export interface NoSettings {
  readonly [none]?: never
}

type Nothing = Record<never, never>

type Given<Settings> = Nothing extends Settings ? { settings?: Settings | undefined } : { settings: Settings }

/** An integration of any of the providers, with the settings of its own. */
export type IntegrationOf<ByProvider, Fields> = {
  [Provider in keyof ByProvider]: Fields & { provider: Provider } & Given<ByProvider[Provider]>
}[keyof ByProvider]

/** Its change: settings that are left out stay, null takes one away. */
export type IntegrationChange<ByProvider, Fields> = {
  [Provider in keyof ByProvider]: Fields & {
    provider: Provider
    settings?: { [Key in keyof ByProvider[Provider]]?: ByProvider[Provider][Key] | null | undefined } | undefined
  }
}[keyof ByProvider]
