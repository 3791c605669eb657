/** Elements of a content for services of chat: which of them are native there, and the text of all others. */
import type { ContentElement } from '../base/rendered-content.ts'

/** The texts of elements, one below the other. */
export function textOf(
  elements: readonly ContentElement[],
  write: (element: ContentElement) => string = ({ text }) => text,
): string {
  let text = ''
  for (const element of elements) text += `${text === '' ? '' : element.tight ? '\n' : '\n\n'}${write(element)}`
  return text
}

/** In their order: what `native` returns for an element, and the text of all neighbors that it returns nothing for. */
export function partsOf<Native>(
  elements: readonly ContentElement[],
  native: (element: ContentElement) => Native | undefined,
): (Native | string)[] {
  const parts: (Native | string)[] = []
  let texts: ContentElement[] = []
  const flush = () => {
    if (texts.length > 0) parts.push(textOf(texts))
    texts = []
  }
  for (const element of elements) {
    const part = native(element)
    if (part === undefined) texts.push(element)
    else {
      flush()
      parts.push(part)
    }
  }
  flush()
  return parts
}

type Of<Type extends ContentElement['type']> = Extract<ContentElement, { type: Type }>

const isWebAddress = (url: string) => /^https?:\/\//i.test(url)

/** Services refuse buttons for mail and telephone, without a label, or with an address that is too long. */
export const isButton = (element: ContentElement, urlLengthMax: number): element is Of<'button'> =>
  element.type === 'button' && element.plain !== '' && isWebAddress(element.url) && element.url.length <= urlLengthMax

export const isPicture = (element: ContentElement): element is Of<'image'> =>
  element.type === 'image' && isWebAddress(element.url)

/** The alternative text, which some services require: without one, where the picture is from. */
export const alternativeOf = ({ plain, url }: Of<'image'>): string =>
  plain || (URL.canParse(url) ? new URL(url).hostname : url)

export function shortened(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
