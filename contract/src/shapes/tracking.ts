/** The switches of open and click tracking, and the signs of programs. */
import { type Static, Type } from 'typebox'
import { type Channel, channels } from './channel.ts'

/** Why an open or click is taken for that of a program. */
export const automatedReasons = [
  'head',
  'prefetch',
  'privacy_proxy',
  'scanner',
  'program',
  'instant',
  'unopened',
  'burst',
] as const
export type AutomatedReason = (typeof automatedReasons)[number]

export const trackingNames = ['open', 'click', 'text'] as const

export const TrackingTerms = Type.Object(
  {
    open: Type.Optional(
      Type.Boolean({ description: 'An email has a pixel; a push has `trackingUrl` in its data. Default: false.' }),
    ),
    click: Type.Optional(
      Type.Boolean({
        description:
          'Links lead through the server: those in the HTML of an email, and in the text of an SMS or chat message. Default: false.',
      }),
    ),
    text: Type.Optional(
      Type.Boolean({ description: 'With `click`, also the links in the text part of an email. Default: false.' }),
    ),
  },
  {
    title: 'TrackingTerms',
    description: 'Switches of one channel. An omitted switch is decided by the next wider setting.',
    // A misspelled switch would track people who were promised the contrary.
    additionalProperties: false,
  },
)
export type TrackingTerms = Static<typeof TrackingTerms>

const byChannel = {} as Record<Channel, ReturnType<typeof Type.Optional<typeof TrackingTerms>>>
for (const channel of channels) byChannel[channel] = Type.Optional(TrackingTerms)

export const TrackingSettings = Type.Object(byChannel, {
  title: 'TrackingSettings',
  description: 'Switches of tracking, by channel.',
  additionalProperties: false,
})
export type TrackingSettings = Static<typeof TrackingSettings>
