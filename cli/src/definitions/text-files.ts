/** Texts of several lines in files of their own: `{"$file": "welcome/body.md"}` stands for the text of that file. */
import { type Document, isObject } from './definition.ts'
import { fileNameOf } from './file-name.ts'

/** A text that stands in a file: where in the document, and in which file beside it. */
export interface TextFile {
  place: string
  file: string
  text: string
}

type Change = (value: unknown, at: TextPlace) => unknown

interface TextPlace {
  place: string
  /** `text` or `html`: the type of the element. */
  type: string
  /** Its `id`, else its type and its place. */
  label: string
  locale: string | undefined
}

/** The document with each `content` of an element replaced by what `change` gives; everything else is as it was. */
function withContents(document: Document, change: Change): Document {
  const { content } = document
  if (!isObject(content) || !Array.isArray(content.elements)) return document
  return { ...document, content: { ...content, elements: elementsWith(content.elements, 'elements', change) } }
}

function elementsWith(elements: readonly unknown[], at: string, change: Change): unknown[] {
  return elements.map((element, index) =>
    isObject(element) ? elementWith(element, `${at}.${index}`, change) : element,
  )
}

function elementWith(element: Document, at: string, change: Change): Document {
  const type = typeof element.type === 'string' ? element.type : 'text'
  const { id, locales } = element
  const place = at.replaceAll('elements.', '')
  const label = typeof id === 'string' && /^[\w-]{1,60}$/.test(id) ? id : `${type.slice(0, 20)}-${place}`
  const changedElement = fieldsWith(element, at, { type, label, locale: undefined }, change)
  if (!isObject(locales)) return changedElement
  const translated = Object.entries(locales).map(([locale, fields]) => [
    locale,
    isObject(fields) ? fieldsWith(fields, `${at}.locales.${locale}`, { type, label, locale }, change) : fields,
  ])
  return { ...changedElement, locales: Object.fromEntries(translated) }
}

function fieldsWith(fields: Document, at: string, around: Omit<TextPlace, 'place'>, change: Change): Document {
  const { content, elements } = fields
  return {
    ...fields,
    ...(content !== undefined && { content: change(content, { ...around, place: `${at}.content` }) }),
    ...(Array.isArray(elements) && { elements: elementsWith(elements, `${at}.elements`, change) }),
  }
}

/** A file can hold it: JSON keeps what editors and version control would change. */
const fitsFile = (text: string) => text.isWellFormed() && !/[\0\r\uFEFF]/.test(text)

/** `layout`: the files that the document has already, so that texts stay where the author put them. */
export function splitTexts(
  document: Document,
  name: string,
  layout: readonly TextFile[] = [],
): { document: Document; texts: TextFile[] } {
  const folder = `${fileNameOf(name)}/`
  const textFiles = layout.filter(({ file }) => file.startsWith(folder))
  const texts: TextFile[] = []
  const present = new Set<unknown>()
  withContents(document, (text) => {
    present.add(text)
    return text
  })
  const isFree = (file: string) => !texts.some((other) => other.file.toLowerCase() === file.toLowerCase())
  const change: Change = (text, at) => {
    if (typeof text !== 'string' || !fitsFile(text)) return text
    // An element that has moved takes its file along.
    const before =
      textFiles.find((other) => other.text === text && isFree(other.file)) ??
      textFiles.find((other) => other.place === at.place && !present.has(other.text) && isFree(other.file))
    if (!before && !text.includes('\n')) return text
    const file =
      before?.file ?? freeName(folder, at, (name) => isFree(name) && !textFiles.some((other) => other.file === name))
    texts.push({ place: at.place, file, text })
    return { $file: file }
  }
  return { document: withContents(document, change), texts }
}

function freeName(folder: string, { label, locale, type }: TextPlace, isFree: (name: string) => boolean): string {
  const base = fileNameOf(locale === undefined ? label : `${label}.${locale}`)
  const ending = type === 'html' ? 'html' : 'md'
  for (let count = 1; ; count += 1) {
    const file = `${folder}${count === 1 ? base : `${base}-${count}`}.${ending}`
    if (isFree(file)) return file
  }
}

/** The document with its texts, and the files they came from. `read` throws for a file that cannot be used. */
export function joinTexts(
  document: Document,
  read: (file: string) => string,
): { document: Document; texts: TextFile[] } {
  const texts: TextFile[] = []
  const change: Change = (value, { place }) => {
    if (!isObject(value) || typeof value.$file !== 'string') return value
    const text = read(value.$file)
    texts.push({ place, file: value.$file, text })
    return text
  }
  return { document: withContents(document, change), texts }
}

/** The last line ends as lines do; the line break is not part of the text. */
export const fileText = (text: string): string => `${text}\n`
export const textOfFile = (text: string): string => text.replaceAll('\r\n', '\n').replace(/\n$/, '')
