/** A program beside a declaration of templates: what is declared compiles, and what is not is an error where it is marked. */
import type { Postrider } from '@postrider/client'

const items = [{ name: 'Tea', count: 2 }]
const to = { user_id: 'ada' }

export const sends = (client: Postrider) => [
  client.send({ event: 'order-shipped', recipient: 'ada', data: { order: { id: 7 }, items } }),
  client.send({ event: 'order-shipped', recipient: 'ada', data: { order: { id: 'A7' }, items, note: 'Soon' } }),
  client.send({
    event: 'order.sent',
    recipient: 'ada',
    data: { order: { id: 7 }, items },
    profile: { email: 'a@b.co' },
  }),
  client.send({ event: 'plain', recipient: 'ada' }),
  client.send({ message: { to, template: 'order-shipped', data: { order: { id: 7 }, items } } }),
  client.send({ message: { to: [{ ...to, data: { order: { id: 7 }, items } }], template: 'order-shipped' } }),
  client.send({ message: { to, content: { title: 'Any', body: '{anything}' }, data: { anything: 1 } } }),
  // @ts-expect-error An event that is not declared.
  client.send({ event: 'order-shiped', recipient: 'ada', data: { order: { id: 7 }, items } }),
  // @ts-expect-error A variable is missing.
  client.send({ event: 'order-shipped', recipient: 'ada', data: { items } }),
  // @ts-expect-error A variable inside of another one is missing.
  client.send({ event: 'order-shipped', recipient: 'ada', data: { order: {}, items } }),
  // @ts-expect-error A variable of an item is missing.
  client.send({ event: 'order-shipped', recipient: 'ada', data: { order: { id: 7 }, items: [{ count: 2 }] } }),
  // @ts-expect-error A variable is misspelled.
  client.send({ event: 'order-shipped', recipient: 'ada', data: { order: { id: 7 }, items, noet: 'Soon' } }),
  // @ts-expect-error All of the data is missing.
  client.send({ event: 'order-shipped', recipient: 'ada' }),
  // @ts-expect-error A list is no text.
  client.send({ event: 'order-shipped', recipient: 'ada', data: { order: { id: 7 }, items: 'Tea' } }),
  // @ts-expect-error Also by the event that is mapped to it.
  client.send({ event: 'order.sent', recipient: 'ada', data: {} }),
  // @ts-expect-error A template that is not declared.
  client.send({ message: { to, template: 'order-shiped', data: { order: { id: 7 }, items } } }),
  // @ts-expect-error A variable of a template is missing.
  client.send({ message: { to, template: 'order-shipped', data: { items } } }),
  // Each recipient adds what the message lacks; the other way round, too.
  client.send({
    message: {
      to: [{ ...to, data: { order: { id: 7 } } }],
      template: 'order-shipped',
      data: { order: { id: 1 }, items },
    },
  }),
  client.send({
    message: { to: [{ ...to, data: { order: { id: 7 }, items } }], template: 'order-shipped', data: { note: 'Soon' } },
  }),
  client.send({
    // @ts-expect-error A variable of a recipient is misspelled.
    message: { to: [{ ...to, data: { order: { id: 7 }, itmes: items } }], template: 'order-shipped', data: { items } },
  }),
  client.explain({ message: { to, template: 'order-shipped', data: { order: { id: 7 }, items } } }),
  client.explain({ event: 'order.sent', recipient: 'ada', data: { order: { id: 7 }, items } }),
  // @ts-expect-error A template that is not declared.
  client.explain({ message: { to, template: 'order-shiped', data: { order: { id: 7 }, items } } }),
  // @ts-expect-error A variable of an event is missing.
  client.explain({ event: 'order-shipped', recipient: 'ada', data: { items } }),
  client.bulk.create({ message: { event: 'order-shipped', data: { items } } }),
  client.bulk.create({ message: { template: 'order-shipped' } }),
  client.bulk.create({ message: { message: { template: 'order-shipped', data: { items } } } }),
  client.bulk.create({ message: { content: { title: 'Any', body: '{anything}' }, data: { anything: 1 } } }),
  // @ts-expect-error An event that is not declared.
  client.bulk.create({ message: { event: 'order-shiped', data: { items } } }),
  // @ts-expect-error A variable that is misspelled.
  client.bulk.create({ message: { event: 'order-shipped', data: { itmes: items } } }),
  // @ts-expect-error A template of the second generation that is not declared.
  client.bulk.create({ message: { message: { template: 'order-shiped' } } }),
  client.automations.invoke({
    automation: { steps: [{ action: 'send', template: 'order-shipped', recipient: 'ada' }] },
  }),
  client.automations.invoke({ automation: { steps: [{ action: 'send', template: { $ref: 'data.template' } }] } }),
  client.automations.invoke({
    // @ts-expect-error A template of a step that is not declared.
    automation: { steps: [{ action: 'send', template: 'order-shiped', recipient: 'ada' }] },
  }),
]
