/** The variables with links for recipients: `unsubscribe_url` and `preferences_url`, in `urls` by their short names, too. */

export interface RecipientUrls {
  unsubscribe: string
  preferences: string
}

/** Roots of a template, in both forms. */
export const recipientUrlRoots = ({ unsubscribe, preferences }: RecipientUrls) => ({
  unsubscribe_url: unsubscribe,
  preferences_url: preferences,
  urls: { unsubscribe, preferences },
})

/** Their names as roots. */
export const RECIPIENT_URLS = ['unsubscribe_url', 'preferences_url'] as const

/** True for a text that may name one of them. */
export const usesLinks = (text: string): boolean => /unsubscribe_url|preferences_url|\burls\b/.test(text)
