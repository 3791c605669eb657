/** A mail with each kind of element that a brand changes. */
import type { BrandsPreviewBody } from '@postrider/client'

export const sampleMail: Pick<BrandsPreviewBody, 'content' | 'data'> = {
  data: {
    name: 'Ada',
    profile: { email: 'ada@example.com', name: 'Ada' },
    items: [
      { name: 'Notebook, dotted', price: '18.00 €' },
      { name: 'Ink, midnight blue', price: '12.90 €' },
    ],
  },
  content: {
    version: '2022-01-01',
    elements: [
      { type: 'meta', title: 'Your order is on its way, {name}' },
      { type: 'text', text_style: 'h1', content: 'Your order is on its way' },
      { type: 'text', content: 'Hello **{name}**, it arrives on Thursday. [Change the day](https://example.com/day).' },
      {
        type: 'table',
        elements: [
          {
            ...{ type: 'table-row', header: true },
            elements: [
              { type: 'table-cell', content: 'Item' },
              { type: 'table-cell', content: 'Price', align: 'end' },
            ],
          },
          {
            ...{ type: 'table-row', loop: 'data.items' },
            elements: [
              { type: 'table-cell', content: '{name}' },
              { type: 'table-cell', content: '{price}', align: 'end' },
            ],
          },
        ],
      },
      { type: 'action', content: 'Track the parcel', href: 'https://example.com/track' },
      { type: 'quote', content: 'The best ink I ever had.' },
      { type: 'divider' },
      { type: 'text', text_style: 'subtext', content: 'Questions? Reply to this mail.' },
    ],
  },
}
