/** `postrider tracking …`: which opens and clicks are tracked. */
import type { TrackingSettings } from '@postrider/client'
import type { Resource } from '../../operations/resource.ts'

export const tracking: Resource = {
  name: 'tracking',
  description: 'Open and click tracking: show what is tracked, by channel, or change it.',
  commands: [
    {
      name: 'show',
      operation: 'tracking.get',
      text: (reply) => shown(reply as TrackingSettings),
      examples: ['show'],
    },
    {
      name: 'set',
      operation: 'tracking.replace',
      description: 'Replace the tracking settings: a channel without a switch is not tracked.',
      text: (reply) => shown(reply as TrackingSettings),
      examples: [
        'set email.open:=true email.click:=true',
        'set email.click:=true email.text:=true sms.click:=true',
        'set email.open:=false',
      ],
      help: 'Switches: open (a pixel in emails, trackingUrl in the data of pushes), click (links), text (links in the text part of emails, too).\nThe server needs POSTRIDER_PUBLIC_URL. Notifications, integrations and messages can decide otherwise.',
    },
  ],
}

function shown(settings: TrackingSettings): string {
  const lines = Object.entries(settings).flatMap(([channel, terms]) => {
    const on = Object.entries(terms).flatMap(([name, isOn]) => (isOn ? [name] : []))
    return on.length > 0 ? [`${channel}: ${on.join(', ')}`] : []
  })
  return lines.length > 0 ? lines.join('\n') : 'Nothing is tracked.'
}
