/** The areas of the rail with their screens and keys: one list for the rail, the tabs of an area, the palette and the shortcuts. */
import {
  DocumentTextIcon,
  EnvelopeIcon,
  HomeIcon,
  InboxIcon,
  PaperAirplaneIcon,
  PuzzlePieceIcon,
  ServerStackIcon,
  UsersIcon,
} from '@heroicons/react/20/solid'
import type { ComponentType } from 'react'
import { texts } from '../language/language.tsx'

export const navigationTexts = texts({
  en: {
    start: 'Start',
    send: 'Send',
    messages: 'Messages',
    mailbox: 'Mailbox',
    templates: 'Templates',
    automations: 'Automations',
    brands: 'Brands',
    recipients: 'Recipients',
    users: 'Users',
    lists: 'Lists',
    audiences: 'Audiences',
    tenants: 'Tenants',
    topics: 'Topics',
    suppressions: 'Suppressions',
    bulkJobs: 'Bulk jobs',
    integrations: 'Integrations',
    webhooks: 'Webhooks',
    events: 'Event map',
    system: 'System',
    audit: 'Audit log',
    keys: 'API keys and sessions',
  },
  de: {
    start: 'Start',
    send: 'Senden',
    messages: 'Nachrichten',
    mailbox: 'Postfach',
    templates: 'Vorlagen',
    automations: 'Automationen',
    brands: 'Marken',
    recipients: 'Empfänger',
    users: 'Nutzer',
    lists: 'Listen',
    audiences: 'Zielgruppen',
    tenants: 'Mandanten',
    topics: 'Themen',
    suppressions: 'Sperrliste',
    bulkJobs: 'Massenversand',
    integrations: 'Integrationen',
    webhooks: 'Webhooks',
    events: 'Ereignisse',
    system: 'System',
    audit: 'Änderungen',
    keys: 'Schlüssel, Sitzungen',
  },
})
export type NavigationText = keyof typeof navigationTexts.en

export interface Screen {
  name: NavigationText
  to: string
  /** The letter after `g`. */
  key?: string
  /** The address of its records, where it is not below its own. */
  records?: string
}

/** One entry of the rail, which opens its first screen; the others are tabs. */
export interface Area {
  name: NavigationText
  icon: ComponentType<{ className?: string | undefined; 'aria-hidden'?: boolean }>
  screens: readonly [Screen, ...Screen[]]
}

/** Areas by what a person is here for: to send and see, to set up, to run the server. */
export const groups: readonly (readonly Area[])[] = [
  [
    { name: 'start', icon: HomeIcon, screens: [{ name: 'start', to: '/', key: 'h' }] },
    {
      name: 'send',
      icon: PaperAirplaneIcon,
      screens: [
        { name: 'send', to: '/send', key: 'n' },
        { name: 'bulkJobs', to: '/bulk', key: 'b' },
      ],
    },
    { name: 'messages', icon: EnvelopeIcon, screens: [{ name: 'messages', to: '/messages', key: 'm' }] },
    { name: 'mailbox', icon: InboxIcon, screens: [{ name: 'mailbox', to: '/mailbox', key: 'x' }] },
  ],
  [
    {
      name: 'integrations',
      icon: PuzzlePieceIcon,
      screens: [
        { name: 'integrations', to: '/integrations', key: 'i' },
        { name: 'webhooks', to: '/webhooks', key: 'w' },
        { name: 'events', to: '/events' },
      ],
    },
    {
      name: 'templates',
      icon: DocumentTextIcon,
      screens: [
        { name: 'templates', to: '/templates', key: 't' },
        { name: 'automations', to: '/automations', key: 'a', records: '/runs' },
        { name: 'brands', to: '/brands' },
      ],
    },
    {
      name: 'recipients',
      icon: UsersIcon,
      screens: [
        { name: 'users', to: '/users', key: 'u' },
        { name: 'lists', to: '/lists', key: 'l' },
        { name: 'audiences', to: '/audiences' },
        { name: 'tenants', to: '/tenants' },
        { name: 'topics', to: '/topics' },
        { name: 'suppressions', to: '/suppressions' },
      ],
    },
  ],
  [
    {
      name: 'system',
      icon: ServerStackIcon,
      screens: [
        { name: 'system', to: '/system', key: 's' },
        { name: 'audit', to: '/audit' },
        { name: 'keys', to: '/keys' },
      ],
    },
  ],
]

export const areas = groups.flat()
export const screens = areas.flatMap((area) => area.screens)

const isWithin = (pathname: string, folder: string) => pathname === folder || pathname.startsWith(`${folder}/`)

/** The area whose screen, or a record of it, has this address. */
export const areaOf = (pathname: string): Area | undefined =>
  areas.find((area) =>
    area.screens.some(({ to, records = to }) => isWithin(pathname, to) || isWithin(pathname, records)),
  )
