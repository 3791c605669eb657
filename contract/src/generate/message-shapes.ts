/** Types of the client that no schema says: recipients by their form, and what is set by channel or by provider. */

/** Written into the generated client as it stands. */
export const messageTypes = `/** A provider that this version knows; \`SettingsByProvider\` takes others by declaration merging. */
export type ProviderName = Extract<keyof SettingsByProvider, string>

declare const integration: unique symbol
/** The id of an integration as the API returns it; write one that comes from elsewhere as \`id as IntegrationId\`. */
export type IntegrationId = string & { readonly [integration]: true }

export type ByChannel<Value> = { [Name in Channel]?: Value | null | undefined }
export type ByProvider<Value> = { [Name in ProviderName]?: Value | null | undefined }

/** Profile data of providers. Add keys of your own by declaration merging. */
export interface ProfileFields {
  slack?: Record<string, unknown> | null | undefined
  ms_teams?: Record<string, unknown> | null | undefined
  webhook?: Record<string, unknown> | null | undefined
}

/** Without any id the contact values stand for themselves. */
export interface ContactRecipient extends RecipientFields, ContactFields, ProfileFields {}
export interface UserRecipient extends RecipientFields, ContactFields, UserFields, ProfileFields {}
export interface ListRecipient extends RecipientFields, ListFields {
  /** Id of a list: all of its subscribers. */
  list_id: string
}
export interface ListPatternRecipient extends RecipientFields, ListFields {
  /** Pattern of list ids, such as \`team.*\` or \`team.**\`: all subscribers of the matching lists. */
  list_pattern: string
}
export interface AudienceRecipient extends RecipientFields, ListFields {
  /** Id of an audience: all of its members. */
  audience_id: string
}
export type TenantRecipient = RecipientFields & TenantFields & ({ tenant_id: string } | { account_id: string })

export type MessageRecipient =
  | UserRecipient
  | ContactRecipient
  | ListRecipient
  | ListPatternRecipient
  | AudienceRecipient
  | TenantRecipient

/** Replaces parts of the content and the options of a channel. */
export interface ChannelOverride {
  subject?: string | undefined
  title?: string | undefined
  body?: string | undefined
  html?: string | undefined
  text?: string | undefined
  /** A brand by its id, or parts of one. */
  brand?: string | Record<string, unknown> | undefined
}

/** Email also takes the sender and what stands in the head of the mail. */
export interface EmailOverride extends ChannelOverride {
  from?: unknown
  replyTo?: unknown
  reply_to?: unknown
  cc?: unknown
  bcc?: unknown
  headers?: Record<string, string> | undefined
  attachments?: readonly unknown[] | undefined
}

export type OverrideByChannel = { [Name in Channel]?: (Name extends 'email' ? EmailOverride : ChannelOverride) | null }

/** Settings of each channel for a message, with the override of that channel. */
export type SettingsByChannel<Settings> = {
  [Name in Channel]?:
    | (Omit<Settings, 'override'> & {
        /** Merged over the content and options of the channel. */
        override?: (Name extends 'email' ? EmailOverride : ChannelOverride) | null | undefined
      })
    | null
    | undefined
}

/** \`config\` is merged over the settings of the integration, \`body\` over the request to the provider. */
export interface ProviderOverride<Settings> {
  config?: Partial<Settings> | undefined
  body?: Record<string, unknown> | undefined
  /** Further fields that are merged over the request, as the provider documents them. */
  [field: string]: unknown
}

/** Settings of each provider for a message, with its override. */
export type OptionsByProvider<Options> = {
  [Name in ProviderName]?:
    | (Omit<Options, 'override'> & { override?: ProviderOverride<SettingsByProvider[Name]> | null | undefined })
    | null
    | undefined
}

/** Overrides of the first generation: by provider, by channel, and of the brand. */
export type Override = {
  [Name in ProviderName]?: ProviderOverride<SettingsByProvider[Name]> | null | undefined
} & {
  channel?: OverrideByChannel | null | undefined
  brand?: string | Record<string, unknown> | null | undefined
}
`
