/** The fields of each type of element: which there are follows from the contract, how each is edited stands here. */
import type { Element } from '@postrider/client'
import { texts } from '../../language/language.tsx'
import type { ElementType } from './blocks.ts'

type Control = 'type' | 'id' | 'if' | 'loop' | 'ref' | 'channels' | 'locales'
type FieldsOf<Type extends ElementType> = Exclude<keyof Extract<Element, { type: Type }>, Control>
export type FieldName = { [Type in ElementType]: FieldsOf<Type> }[ElementType]

export type FieldKind =
  | 'line'
  | 'words'
  | 'code'
  | 'url'
  | 'color'
  | 'flag'
  | 'width'
  | 'json'
  /** Nested elements, which are blocks of their own. */
  | 'nested'
  | readonly string[]

const aligns = ['left', 'center', 'right', 'start', 'end', 'full']
const textStyles = ['text', 'subtext', 'h1', 'h2']

/** In the order of the form. */
export const fieldsOfType: { [Type in ElementType]: Record<FieldsOf<Type>, FieldKind> } = {
  text: {
    ...{ content: 'words', text_style: textStyles, align: aligns, color: 'color' },
    ...{ bold: 'flag', italic: 'flag', underline: 'flag', strikethrough: 'flag', elements: 'json' },
  },
  meta: { title: 'line', preheader: 'line' },
  channel: { channel: 'line', provider: 'line', raw: 'json', elements: 'nested' },
  action: {
    ...{ content: 'line', href: 'url', style: ['button', 'link'], align: aligns },
    ...{ background_color: 'color', color: 'color', action_id: 'line', disable_tracking: 'flag' },
  },
  image: { src: 'url', alt_text: 'line', href: 'url', width: 'width', align: aligns },
  divider: { color: 'color' },
  group: { elements: 'nested' },
  quote: { content: 'words', text_style: textStyles, align: aligns, border_color: 'color' },
  html: { content: 'code' },
  list: { list_type: ['unordered', 'ordered'], elements: 'nested', imgSrc: 'url', imgHref: 'url' },
  'list-item': { content: 'words', background_color: 'color', elements: 'nested' },
  table: { elements: 'nested' },
  'table-row': { header: 'flag', elements: 'nested' },
  'table-cell': {
    ...{ content: 'words', align: aligns, color: 'color', background_color: 'color', elements: 'nested' },
  },
  comment: { comment: 'words' },
  columns: { elements: 'nested' },
  column: { width: 'width', elements: 'nested' },
}

/** Without effect in the contract: shown only where they are set. */
export const rareFields: readonly FieldName[] = ['imgSrc', 'imgHref', 'elements', 'action_id', 'provider']

/** Fields that are words for the recipient, which a translation has its own of. */
export const translatedFields: readonly FieldName[] = ['title', 'preheader', 'content', 'alt_text', 'href', 'src']

type BlockTexts = Record<`type_${ElementType}`, string> & Record<`field_${FieldName}`, string>

const en = {
  type_text: 'Text',
  type_meta: 'Subject',
  type_channel: 'Channel',
  type_action: 'Button',
  type_image: 'Image',
  type_divider: 'Divider',
  type_group: 'Group',
  type_quote: 'Quote',
  type_html: 'HTML',
  type_list: 'List',
  'type_list-item': 'Item',
  type_table: 'Table',
  'type_table-row': 'Row',
  'type_table-cell': 'Cell',
  type_comment: 'Comment',
  type_columns: 'Columns',
  type_column: 'Column',
  field_content: 'Words',
  field_elements: 'Spans',
  field_align: 'Alignment',
  field_text_style: 'Size',
  field_color: 'Color',
  field_bold: 'Bold',
  field_italic: 'Italic',
  field_underline: 'Underlined',
  field_strikethrough: 'Struck through',
  field_title: 'Subject or title',
  field_preheader: 'Text after the subject',
  field_channel: 'Channel or provider',
  field_provider: 'Only this provider',
  field_raw: 'Provider content (JSON)',
  field_href: 'Link',
  field_action_id: 'Id of the action',
  field_style: 'Appearance',
  field_background_color: 'Background',
  field_disable_tracking: 'Never tracked',
  field_src: 'Address of the image',
  field_alt_text: 'Description',
  field_width: 'Width',
  field_border_color: 'Line color',
  field_list_type: 'Numbering',
  field_imgSrc: 'Bullet image (without effect)',
  field_imgHref: 'Bullet link (without effect)',
  field_header: 'Column titles',
  field_comment: 'Note',
} satisfies BlockTexts

export const blockTexts = texts({
  en,
  de: {
    type_text: 'Text',
    type_meta: 'Betreff',
    type_channel: 'Kanal',
    type_action: 'Schaltfläche',
    type_image: 'Bild',
    type_divider: 'Linie',
    type_group: 'Gruppe',
    type_quote: 'Zitat',
    type_html: 'HTML',
    type_list: 'Liste',
    'type_list-item': 'Punkt',
    type_table: 'Tabelle',
    'type_table-row': 'Zeile',
    'type_table-cell': 'Zelle',
    type_comment: 'Anmerkung',
    type_columns: 'Spalten',
    type_column: 'Spalte',
    field_content: 'Wortlaut',
    field_elements: 'Textteile',
    field_align: 'Ausrichtung',
    field_text_style: 'Größe',
    field_color: 'Farbe',
    field_bold: 'Fett',
    field_italic: 'Kursiv',
    field_underline: 'Unterstrichen',
    field_strikethrough: 'Durchgestrichen',
    field_title: 'Betreff oder Titel',
    field_preheader: 'Text nach dem Betreff',
    field_channel: 'Kanal oder Anbieter',
    field_provider: 'Nur dieser Anbieter',
    field_raw: 'Inhalt des Anbieters (JSON)',
    field_href: 'Link',
    field_action_id: 'Id der Aktion',
    field_style: 'Aussehen',
    field_background_color: 'Hintergrund',
    field_disable_tracking: 'Nie verfolgt',
    field_src: 'Adresse des Bildes',
    field_alt_text: 'Beschreibung',
    field_width: 'Breite',
    field_border_color: 'Linienfarbe',
    field_list_type: 'Nummerierung',
    field_imgSrc: 'Bild des Punkts (ohne Wirkung)',
    field_imgHref: 'Link des Punkts (ohne Wirkung)',
    field_header: 'Spaltentitel',
    field_comment: 'Notiz',
  },
})
