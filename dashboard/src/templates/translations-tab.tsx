/** The words of the draft beside those of one locale. */
import { Button, Progress, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { isObject } from '../parts/code/json.ts'
import type { Changes } from '../parts/search-params.ts'
import { Empty } from '../parts/states.tsx'
import { Choice } from './blocks/block-form.tsx'
import { type Block, setFields } from './blocks/blocks.ts'
import { blockTexts, type FieldName, fieldsOfType, translatedFields } from './blocks/fields.ts'
import type { Draft } from './draft/draft-store.ts'
import styles from './editor.module.css'
import { localesOf } from './preview.tsx'
import type { EditorSearch } from './search.ts'

const LOCALE = /^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,3}$/

const translationTexts = texts({
  en: {
    locales: 'Locales',
    add: 'Add locale',
    addLabel: 'New locale',
    addHint: 'de, pt-BR',
    invalid: 'A locale is written de or pt-BR',
    none: 'Only in one language so far',
    noneHint:
      'A locale gives words of its own to recipients whose profile has it: de-AT takes de-AT, else de, else the words of the template.',
    progress: (done: number, all: number) => `${done} of ${all} texts are translated`,
    original: 'Template',
    noTexts: 'There are no words to translate yet.',
  },
  de: {
    locales: 'Sprachen',
    add: 'Sprache hinzufügen',
    addLabel: 'Neue Sprache',
    addHint: 'de, pt-BR',
    invalid: 'Eine Sprache schreibt sich de oder pt-BR',
    none: 'Bisher nur in einer Sprache',
    noneHint:
      'Eine Sprache hat eigene Worte für Empfänger, deren Profil sie nennt: de-AT nimmt de-AT, sonst de, sonst die Worte der Vorlage.',
    progress: (done: number, all: number) => `${done} von ${all} Texten sind übersetzt`,
    original: 'Vorlage',
    noTexts: 'Es gibt noch keine Worte zu übersetzen.',
  },
})

interface Translatable {
  block: Block
  field: FieldName
  words: string
}

/** Every text for recipients, in the order of the content. */
function translatable(blocks: readonly Block[]): Translatable[] {
  return blocks.flatMap((block) => {
    const { type } = block.fields
    const isKnown = type in fieldsOfType && type !== 'comment'
    const rows = translatedFields.flatMap((field) => {
      const value = block.fields[field]
      const isLink = field === 'href' || field === 'src'
      return isKnown && !isLink && typeof value === 'string' && value !== '' ? [{ block, field, words: value }] : []
    })
    return [...rows, ...translatable(block.children ?? [])]
  })
}

function textIn({ block, field }: Pick<Translatable, 'block' | 'field'>, locale: string): string {
  const locales = isObject(block.fields.locales) ? block.fields.locales : {}
  const translation = isObject(locales[locale]) ? locales[locale] : {}
  return typeof translation[field] === 'string' ? translation[field] : ''
}

/** The `locales` of a block with one text changed; an empty one is removed. */
function localesWith(block: Block, locale: string, field: FieldName, text: string): unknown {
  const locales = isObject(block.fields.locales) ? block.fields.locales : {}
  const translation = { ...(isObject(locales[locale]) ? locales[locale] : {}) }
  if (text === '') delete translation[field]
  else translation[field] = text
  const { [locale]: _former, ...others } = locales
  const next = Object.keys(translation).length > 0 ? { ...locales, [locale]: translation } : others
  return Object.keys(next).length > 0 ? next : undefined
}

interface TranslationsTabProps {
  draft: Draft
  change(blocks: Draft['blocks'], name?: string): void
  search: EditorSearch
  setSearch(changes: Changes<EditorSearch>): void
  isReadOnly: boolean
}

export function TranslationsTab({ draft, change, search, setSearch, isReadOnly }: TranslationsTabProps) {
  const t = useTexts(translationTexts)
  const labels = useTexts(blockTexts)
  const [added, setAdded] = useState('')
  const addedLocale = search.locale && LOCALE.test(search.locale) ? [search.locale] : []
  const locales = [...new Set([...localesOf(draft), ...addedLocale])]
  const locale = search.locale ?? locales[0]
  const rows = translatable(draft.blocks)
  const done = locale === undefined ? 0 : rows.filter((row) => textIn(row, locale) !== '').length
  const isInvalid = added !== '' && !LOCALE.test(added)
  return (
    <div className={styles.stack}>
      <div className={styles.filters}>
        {locales.length > 0 && (
          <Choice
            label={t.locales}
            value={locale ?? ''}
            options={locales.map((each) => [each, each] as const)}
            choose={(next) => setSearch({ locale: next })}
          />
        )}
        {!isReadOnly && (
          <form
            className={styles.filters}
            onSubmit={(event) => {
              event.preventDefault()
              if (added === '' || isInvalid) return
              setSearch({ locale: added })
              setAdded('')
            }}
          >
            <TextInput
              size="xs"
              aria-label={t.addLabel}
              placeholder={t.addHint}
              error={isInvalid ? t.invalid : undefined}
              value={added}
              onChange={(event) => setAdded(event.currentTarget.value.trim())}
            />
            <Button type="submit" size="xs" variant="default" disabled={added === '' || isInvalid}>
              {t.add}
            </Button>
          </form>
        )}
      </div>
      {locale === undefined ? (
        <Empty title={t.none}>{t.noneHint}</Empty>
      ) : rows.length === 0 ? (
        <p className={styles.empty}>{t.noTexts}</p>
      ) : (
        <>
          <div>
            <Progress value={(100 * done) / rows.length} aria-label={t.progress(done, rows.length)} />
            <p className={styles.note}>{t.progress(done, rows.length)}</p>
          </div>
          {rows.map((row) => (
            <div key={`${row.block.key} ${row.field}`} className={styles.pair}>
              <Textarea
                autosize
                readOnly
                variant="filled"
                label={`${t.original}: ${labels[`field_${row.field}`]}`}
                value={row.words}
              />
              <Textarea
                autosize
                lang={locale}
                label={`${locale}: ${labels[`field_${row.field}`]}`}
                readOnly={isReadOnly}
                value={textIn(row, locale)}
                onChange={(event) => {
                  const next = localesWith(row.block, locale, row.field, event.currentTarget.value)
                  change(setFields(draft.blocks, row.block.key, { locales: next }), `${row.block.key} ${locale}`)
                }}
              />
            </div>
          ))}
        </>
      )}
    </div>
  )
}
