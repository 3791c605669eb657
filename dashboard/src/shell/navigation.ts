/** The screens of the navigation, by group, with their keys: one list for the navigation, the palette and the shortcuts. */
import {
  ArrowPathRoundedSquareIcon,
  AtSymbolIcon,
  BoltIcon,
  BuildingOfficeIcon,
  ChatBubbleLeftRightIcon,
  DocumentTextIcon,
  EnvelopeIcon,
  FunnelIcon,
  HomeIcon,
  InboxIcon,
  KeyIcon,
  LinkIcon,
  ListBulletIcon,
  NoSymbolIcon,
  PaperAirplaneIcon,
  PuzzlePieceIcon,
  RectangleStackIcon,
  ServerStackIcon,
  SwatchIcon,
  UserIcon,
} from '@heroicons/react/20/solid'
import type { ComponentType } from 'react'
import { texts } from '../language/language.tsx'

export const navigationTexts = texts({
  en: {
    deliver: 'Deliver',
    content: 'Content',
    people: 'People',
    connect: 'Connect',
    operate: 'Operate',
    start: 'Start',
    send: 'Send',
    messages: 'Messages',
    mailbox: 'Mailbox',
    templates: 'Templates',
    automations: 'Automations',
    brands: 'Brands',
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
    deliver: 'Zustellung',
    content: 'Inhalte',
    people: 'Menschen',
    connect: 'Anbindung',
    operate: 'Betrieb',
    start: 'Start',
    send: 'Senden',
    messages: 'Nachrichten',
    mailbox: 'Postfach',
    templates: 'Vorlagen',
    automations: 'Automationen',
    brands: 'Marken',
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
  icon: ComponentType<{ className?: string | undefined; 'aria-hidden'?: boolean }>
  /** The letter after `g`. */
  key?: string
}

export const groups: readonly { name?: NavigationText; screens: readonly Screen[] }[] = [
  { screens: [{ name: 'start', to: '/', icon: HomeIcon, key: 'h' }] },
  {
    name: 'deliver',
    screens: [
      { name: 'send', to: '/send', icon: PaperAirplaneIcon, key: 'n' },
      { name: 'messages', to: '/messages', icon: EnvelopeIcon, key: 'm' },
      { name: 'mailbox', to: '/mailbox', icon: InboxIcon, key: 'x' },
      { name: 'bulkJobs', to: '/bulk', icon: RectangleStackIcon, key: 'b' },
    ],
  },
  {
    name: 'content',
    screens: [
      { name: 'templates', to: '/templates', icon: DocumentTextIcon, key: 't' },
      { name: 'automations', to: '/automations', icon: ArrowPathRoundedSquareIcon, key: 'a' },
      { name: 'brands', to: '/brands', icon: SwatchIcon },
    ],
  },
  {
    name: 'people',
    screens: [
      { name: 'users', to: '/users', icon: UserIcon, key: 'u' },
      { name: 'lists', to: '/lists', icon: ListBulletIcon, key: 'l' },
      { name: 'audiences', to: '/audiences', icon: FunnelIcon },
      { name: 'tenants', to: '/tenants', icon: BuildingOfficeIcon },
      { name: 'topics', to: '/topics', icon: ChatBubbleLeftRightIcon },
      { name: 'suppressions', to: '/suppressions', icon: NoSymbolIcon },
    ],
  },
  {
    name: 'connect',
    screens: [
      { name: 'integrations', to: '/integrations', icon: PuzzlePieceIcon, key: 'i' },
      { name: 'webhooks', to: '/webhooks', icon: LinkIcon, key: 'w' },
      { name: 'events', to: '/events', icon: BoltIcon },
    ],
  },
  {
    name: 'operate',
    screens: [
      { name: 'system', to: '/system', icon: ServerStackIcon, key: 's' },
      { name: 'audit', to: '/audit', icon: AtSymbolIcon },
      { name: 'keys', to: '/keys', icon: KeyIcon },
    ],
  },
]
