/** Content for older clients: a flat list of blocks, and the title of each channel. */
import type { ContentDetail, Element, NotificationContent, Variations } from '@postrider/contract'
import { invalidRequest } from '../base/errors.ts'
import { isObject, type JsonObject } from '../base/json/json.ts'
import { quoted } from '../base/quote.ts'
import {
  checksumOf,
  checksumOfAll,
  childrenOf,
  elementsWithIds,
  type Translated,
  withIdsAndChecksums,
} from './content-elements.ts'

type Block = ContentDetail['blocks'][number]

const blockTypes: Readonly<Record<string, Block['type']>> = {
  text: 'text',
  action: 'action',
  image: 'image',
  divider: 'divider',
  quote: 'quote',
  'list-item': 'list',
  html: 'template',
}

/** `channels`: the routing of the notification. */
export function detail({ version, elements }: NotificationContent, channels: readonly string[]): ContentDetail {
  const all = [...elementsWithIds(elements)]
  return {
    version,
    elements: withIdsAndChecksums(elements),
    blocks: all.flatMap(({ element, id }) => blockOf(element, id)),
    channels: channels.map((channel) => channelOf(channel, metaOf(elements, channel)?.element)),
    checksum: checksumOfAll(all.map(({ element }) => checksumOf(element))),
  }
}

function blockOf(element: Element, id: string): Block[] {
  const type = blockTypes[element.type]
  if (!type) return []
  const { content } = element
  return [
    {
      id,
      type,
      ...(typeof content === 'string' && { content }),
      locales: textsOf(element, 'content'),
      checksum: checksumOf(element),
    },
  ]
}

/** Translations of a field by locale. */
function textsOf(element: Element | undefined, field: string): Record<string, string> {
  const locales = element && isObject(element.locales) ? element.locales : {}
  return Object.fromEntries(
    Object.entries(locales).flatMap(([locale, fields]) => {
      const text = isObject(fields) ? fields[field] : undefined
      return typeof text === 'string' ? [[locale, text]] : []
    }),
  )
}

/** The `meta` element of the channel, else of the default channel, else of the whole content. */
function metaOf(elements: readonly Element[], channel: string) {
  const all = [...elementsWithIds(elements)]
  const branches = elements.filter(({ type }) => type === 'channel')
  const branch =
    branches.find((one) => one.channel === channel || one.provider === channel) ??
    branches.find((one) => one.channel === 'default')
  const own = branches.length > 0 ? childrenOf(branch ?? {}) : elements
  const meta = own.find(({ type }) => type === 'meta')
  return meta && all.find(({ element }) => element === meta)
}

function channelOf(channel: string, meta: Element | undefined): ContentDetail['channels'][number] {
  const place = channel === 'email' ? 'subject' : 'title'
  const above = (text: unknown) => ({ subject: '', title: '', [place]: typeof text === 'string' ? text : '' })
  return {
    id: channel,
    type: channel,
    content: above(meta?.title),
    locales: Object.fromEntries(
      Object.entries(textsOf(meta, 'title')).map(([locale, text]) => [locale, { [place]: text }]),
    ),
    checksum: checksumOf(meta ?? {}),
  }
}

/** Throws a 400 for a channel without a title. */
export function translatedBy({ blocks = [], channels = [] }: Variations, content: NotificationContent) {
  const fromBlocks = blocks.flatMap(({ id, locales = {} }) =>
    Object.entries(locales).map(([locale, text]): Translated => ({ id, locale, fields: { content: text } })),
  )
  const fromChannels = channels.flatMap(({ id, locales = {} }) => {
    const meta = metaOf(content.elements, id)
    if (!meta)
      throw invalidRequest(`The channel ${quoted(id)} has no title to translate`, {
        code: 'invalid_field',
        param: 'channels',
      })
    return Object.entries(locales).flatMap(([locale, { subject, title }]): Translated[] => {
      const text = subject ?? title
      const fields: JsonObject = { title: text }
      return text === undefined ? [] : [{ id: meta.id, locale, fields }]
    })
  })
  return [...fromBlocks, ...fromChannels]
}
