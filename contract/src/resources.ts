/** The resources in reading order; each is the first half of its operations' ids. */
export const resources: Record<string, { title: string; description: string }> = {
  send: { title: 'Send', description: 'One call says who and what; the rest is decided here.' },
  explain: { title: 'Explain', description: 'What would happen, and why, without sending anything.' },
  simulate: { title: 'Simulate', description: 'What an automation would do, in a moment instead of days.' },
  messages: { title: 'Messages', description: 'What became of each send: status, history, words, reasons.' },
  requests: { title: 'Requests', description: 'Calls that mean many messages, and how far they are.' },
  bulk: { title: 'Bulk', description: 'One message for many users, added in parts.' },
  profiles: { title: 'Profiles', description: 'What is known about a recipient: addresses and anything else.' },
  erasures: { title: 'Erasures', description: 'Receipts of people who were removed everywhere.' },
  lists: { title: 'Lists', description: 'Recipients subscribed by name, for sends to all of them.' },
  deviceTokens: {
    title: 'Device tokens',
    description: 'The devices of a user, by the tokens that push providers gave them.',
  },
  tenants: { title: 'Tenants', description: 'Your customers: their place, profile, properties and defaults.' },
  memberships: {
    title: 'Memberships',
    description: 'Which users are in which tenants, each with a profile for there.',
  },
  accounts: { title: 'Accounts', description: 'Tenants by the names that older clients use.' },
  preferences: {
    title: 'Preferences',
    description: 'What recipients want: by notification and category (first generation), and by topic (second).',
  },
  sections: { title: 'Sections', description: 'The headings that topics stand under.' },
  topics: { title: 'Topics', description: 'The subjects that recipients can opt in to or out of.' },
  digests: { title: 'Digests', description: 'Events that are kept for a recipient until one message tells of all.' },
  audiences: { title: 'Audiences', description: 'Users who match a filter at this moment.' },
  events: { title: 'Events', description: 'Names for the things that happen, mapped to notifications.' },
  inbound: { title: 'Inbound events', description: 'Events on your side that start automations.' },
  automations: {
    title: 'Automations',
    description:
      'Steps that follow each other over time, for one recipient or many: their runs, and templates of them.',
  },
  notifications: {
    title: 'Notifications',
    description: 'Templates: content in Elemental JSON, routing and settings, as a draft and in published versions.',
  },
  brands: { title: 'Brands', description: 'What notifications share: colours, logo, footer, snippets.' },
  translations: { title: 'Translations', description: 'Catalogues of translated words, by locale.' },
  providers: { title: 'Providers', description: 'Integrations with providers, and the catalogue of them.' },
  webhooks: { title: 'Webhooks', description: 'Addresses of yours that hear of changes.' },
  keys: { title: 'Keys', description: 'API keys of the workspace.' },
  auth: { title: 'Auth', description: 'Tokens for browsers and apps.' },
  auditEvents: { title: 'Audit events', description: 'Who changed what.' },
  mailbox: { title: 'Mailbox', description: 'The built-in sandbox: what it kept instead of sending.' },
  service: { title: 'Service', description: 'The server about itself.' },
}

export const resourceOf = (id: string) => id.split('.')[0] ?? id
