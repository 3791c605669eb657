/** The title of a message: the name of its template, also before the template is chosen. */

export interface MessageNames {
  /** Names of templates by id. */
  names: ReadonlyMap<string, string>
  /** Ids of templates by what a send calls them: an event, an alias. */
  ids: ReadonlyMap<string, string>
  /** For content that came with the send. */
  inline: string
}

/** `event`: what the send calls its template; empty or absent for content of the send. */
export interface Titled {
  notification?: string
  event?: string | undefined
}

/** The word of the send where the template has no name that is known. */
export const messageTitle = ({ notification = '', event = '' }: Titled, { names, ids, inline }: MessageNames): string =>
  names.get(notification) ?? names.get(ids.get(event) ?? event) ?? (event || inline)
