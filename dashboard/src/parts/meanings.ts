/** Reasons and channels in plain words. */
import type { Channel } from '@postrider/client'
import { texts } from '../language/language.tsx'

export const reasonMeanings = texts({
  en: {
    FILTERED: 'A condition stopped it.',
    NO_CHANNELS: 'The routing has no channel.',
    NO_PROVIDERS: 'No integration of its channels can be used.',
    INCOMPLETE_PROFILE_DATA: 'The recipient has no address that an integration can use.',
    OPT_IN_REQUIRED: 'The recipient has not opted in.',
    PROVIDER_ERROR: 'Every provider that was tried refused it.',
    UNPUBLISHED: 'The template has no published version.',
    UNSUBSCRIBED: 'The recipient is opted out, or chose other channels.',
    BOUNCED: 'The mail server of the recipient sent it back.',
    FAILED: 'It could not be rendered or handed over.',
    IN_DOUBT: 'An attempt was interrupted, and it may be sent at most once.',
    EXPIRED: 'Its time limit passed.',
    SUPPRESSED: 'Every usable address is on the list of suppressed addresses.',
    CHANNEL_DISABLED: 'The channel is switched off for this message.',
    MISSING_CONFIGURATION: 'The integration is switched off or incomplete.',
    SANDBOX: 'The mailbox is skipped, because a channel of the message has a real integration.',
    TOKEN_INACTIVE: 'The token of the device is no longer used.',
    UNAVAILABLE: 'Taken for down in this simulation.',
  },
  de: {
    FILTERED: 'Eine Bedingung hat sie gestoppt.',
    NO_CHANNELS: 'Die Zustellwege enthalten keinen Kanal.',
    NO_PROVIDERS: 'Keine Integration ihrer Kanäle ist nutzbar.',
    INCOMPLETE_PROFILE_DATA: 'Der Empfänger hat keine Adresse, die eine Integration nutzen kann.',
    OPT_IN_REQUIRED: 'Der Empfänger hat nicht zugestimmt.',
    PROVIDER_ERROR: 'Jeder versuchte Anbieter hat sie abgelehnt.',
    UNPUBLISHED: 'Die Vorlage hat keine veröffentlichte Version.',
    UNSUBSCRIBED: 'Der Empfänger ist abgemeldet oder hat andere Kanäle gewählt.',
    BOUNCED: 'Der Mailserver des Empfängers hat sie zurückgeschickt.',
    FAILED: 'Sie konnte nicht dargestellt oder übergeben werden.',
    IN_DOUBT: 'Ein Versuch wurde unterbrochen, und sie darf höchstens einmal gesendet werden.',
    EXPIRED: 'Ihre Zeit ist abgelaufen.',
    SUPPRESSED: 'Jede nutzbare Adresse steht auf der Sperrliste.',
    CHANNEL_DISABLED: 'Der Kanal ist für diese Nachricht abgeschaltet.',
    MISSING_CONFIGURATION: 'Die Integration ist abgeschaltet oder unvollständig.',
    SANDBOX: 'Das Postfach entfällt, weil ein Kanal der Nachricht eine echte Integration hat.',
    TOKEN_INACTIVE: 'Das Token des Geräts wird nicht mehr benutzt.',
    UNAVAILABLE: 'Gilt in dieser Simulation als ausgefallen.',
  },
})

/** In the order in which screens show them. */
export const channels = ['email', 'sms', 'push', 'direct_message', 'inbox', 'webhook'] as const satisfies Channel[]

export const channelNames = texts<Record<Channel, string>>({
  en: {
    email: 'Email',
    sms: 'SMS',
    push: 'Push',
    direct_message: 'Chat',
    inbox: 'Inbox',
    webhook: 'Webhook',
  },
  de: {
    email: 'E-Mail',
    sms: 'SMS',
    push: 'Push',
    direct_message: 'Chat',
    inbox: 'Inbox',
    webhook: 'Webhook',
  },
})
