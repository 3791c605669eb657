/** Every element kind a content may hold, by its type. */
import { action } from './action.ts'
import { channel } from './channel.ts'
import { column, columns } from './columns.ts'
import { comment } from './comment.ts'
import { divider } from './divider.ts'
import type { Element } from './element.ts'
import { group } from './group.ts'
import { html } from './html.ts'
import { image } from './image.ts'
import { list, listItem } from './list.ts'
import { meta } from './meta.ts'
import { quote } from './quote.ts'
import { text } from './text.ts'

export const elements: ReadonlyMap<string, Element> = new Map(
  [text, meta, channel, action, image, divider, group, quote, html, list, listItem, comment, columns, column].map(
    (element) => [element.type, element],
  ),
)
