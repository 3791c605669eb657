/** Contents to begin with. Their words are the recipients', so they are in one language. */
import type { Element } from '@postrider/client'

export interface Starter {
  name: string
  elements: Element[]
}

const item = (content: string) => ({ type: 'list-item', content }) as const
const cell = (content: string, align?: 'end') => ({ type: 'table-cell', content, ...(align && { align }) }) as const

export const starters = {
  empty: {
    name: '',
    elements: [
      { type: 'meta', title: '' },
      { type: 'text', content: '' },
    ],
  },
  welcome: {
    name: 'Welcome',
    elements: [
      { type: 'meta', title: 'Welcome, {name}', preheader: 'Three steps to a good start.' },
      { type: 'text', text_style: 'h1', content: 'Welcome, {name}' },
      { type: 'text', content: 'Your account is ready. Most people begin like this:' },
      {
        type: 'list',
        list_type: 'ordered',
        elements: [item('Complete your profile'), item('Invite your team'), item('Start a first project')],
      },
      { type: 'action', content: 'Open your account', href: 'https://example.com/start' },
      { type: 'divider' },
      { type: 'text', text_style: 'subtext', content: 'Questions? Reply to this mail, a person reads it.' },
    ],
  },
  receipt: {
    name: 'Receipt',
    elements: [
      { type: 'meta', title: 'Receipt for order {order.id}', preheader: '{order.total}, paid on {order.date}' },
      { type: 'text', text_style: 'h1', content: 'Thank you for your order' },
      { type: 'text', content: 'Order **{order.id}** of {order.date} is paid. Keep this mail as your receipt.' },
      {
        type: 'table',
        elements: [
          {
            type: 'table-row',
            header: true,
            elements: [cell('Item'), cell('Count', 'end'), cell('Price', 'end')],
          },
          {
            type: 'table-row',
            loop: 'data.order.items',
            elements: [cell('{name}'), cell('{count}', 'end'), cell('{price}', 'end')],
          },
          {
            type: 'table-row',
            elements: [cell('**Total**'), cell(''), cell('**{order.total}**', 'end')],
          },
        ],
      },
      { type: 'action', content: 'See the order', href: 'https://example.com/orders/{order.id}' },
    ],
  },
  passwordReset: {
    name: 'Password reset',
    elements: [
      { type: 'meta', title: 'Reset your password', preheader: 'The link is valid for one hour.' },
      { type: 'text', text_style: 'h1', content: 'Reset your password' },
      {
        type: 'text',
        content: 'A new password was requested for {profile.email}. The link is valid for one hour.',
      },
      { type: 'action', content: 'Choose a new password', href: '{reset_url}', disable_tracking: true },
      { type: 'text', text_style: 'subtext', content: 'It was not you? Then ignore this mail: nothing changes.' },
    ],
  },
  digest: {
    name: 'Weekly digest',
    elements: [
      { type: 'meta', title: 'Your week: {count} news', preheader: 'The latest from your projects.' },
      { type: 'text', text_style: 'h1', content: 'Your week' },
      {
        type: 'group',
        loop: 'data.entries',
        elements: [
          { type: 'text', text_style: 'h2', content: '{title}' },
          { type: 'text', content: '{summary}' },
          { type: 'action', style: 'link', align: 'left', content: 'Read more', href: '{url}' },
          { type: 'divider' },
        ],
      },
      { type: 'text', if: '!data.entries', content: 'A quiet week: nothing new.' },
      { type: 'text', text_style: 'subtext', content: 'Too often? [Choose what you get]({preferences_url}).' },
    ],
  },
} satisfies Record<string, Starter>

export type StarterName = keyof typeof starters
