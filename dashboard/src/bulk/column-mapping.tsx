/** The columns of a file beside the fields that they become, with the first rows as users. */
import { Select, TextInput } from '@mantine/core'
import { texts, useTexts } from '../language/language.tsx'
import type { CsvRow } from '../parts/csv.ts'
import styles from './bulk.module.css'
import { type CellType, type Column, cellTypes, type FieldKind, fieldKinds, pathOf } from './columns.ts'

const SAMPLES = 5

const mappingTexts = texts({
  en: {
    field: (column: string) => `Field of ${column}`,
    name: (column: string) => `Name of the field of ${column}`,
    type: (column: string) => `Type of ${column}`,
    unnamed: (number: string) => `Column ${number}`,
    recipient: 'User id',
    email: 'Email',
    phone_number: 'Telephone',
    locale: 'Language',
    profile: 'Field of the profile',
    data: 'Value for the template',
    ignored: 'Leave out',
    text: 'Text',
    number: 'Number',
    boolean: 'Yes or no',
    json: 'JSON',
    preview: 'First users of the file',
  },
  de: {
    field: (column: string) => `Feld zu ${column}`,
    name: (column: string) => `Name des Felds zu ${column}`,
    type: (column: string) => `Typ von ${column}`,
    unnamed: (number: string) => `Spalte ${number}`,
    recipient: 'Nutzer-Id',
    email: 'E-Mail',
    phone_number: 'Telefon',
    locale: 'Sprache',
    profile: 'Feld des Profils',
    data: 'Wert für die Vorlage',
    ignored: 'Weglassen',
    text: 'Text',
    number: 'Zahl',
    boolean: 'Ja oder nein',
    json: 'JSON',
    preview: 'Erste Nutzer der Datei',
  },
})

export interface ColumnMappingProps {
  columns: readonly Column[]
  samples: readonly CsvRow[]
  isReadOnly: boolean
  change(columns: readonly Column[]): void
}

export function ColumnMapping({ columns, samples, isReadOnly, change }: ColumnMappingProps) {
  const t = useTexts(mappingTexts)
  const set = (index: number, part: Partial<Column>) =>
    change(columns.map((column, at) => (at === index ? { ...column, ...part } : column)))
  const used = columns.map((column, index) => ({ column, index })).filter(({ column }) => column.kind !== 'ignored')
  return (
    <div className={styles.form}>
      <div className={styles.columns}>
        {columns.map(({ header, kind, name, type }, index) => {
          const title = header || t.unnamed(String(index + 1))
          const isNamed = kind === 'profile' || kind === 'data'
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place in the file
            <div key={index} className={styles.mapped}>
              <div className={styles.source}>
                <strong title={title}>{title}</strong>
                <span className={styles.small}>{samples.find(({ cells }) => cells[index])?.cells[index]}</span>
              </div>
              <div>
                <Select
                  aria-label={t.field(title)}
                  allowDeselect={false}
                  disabled={isReadOnly}
                  value={kind}
                  data={fieldKinds.map((option) => ({ value: option as string, label: t[option] }))}
                  onChange={(next) => set(index, { kind: next as FieldKind })}
                />
              </div>
              {isNamed ? (
                <TextInput
                  aria-label={t.name(title)}
                  disabled={isReadOnly}
                  value={name}
                  onChange={(event) => set(index, { name: event.currentTarget.value.trim() })}
                />
              ) : (
                <span />
              )}
              {isNamed ? (
                <div>
                  <Select
                    aria-label={t.type(title)}
                    allowDeselect={false}
                    disabled={isReadOnly}
                    value={type}
                    data={cellTypes.map((option) => ({ value: option as string, label: t[option] }))}
                    onChange={(next) => set(index, { type: next as CellType })}
                  />
                </div>
              ) : (
                <span />
              )}
            </div>
          )
        })}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard */}
      <div className={styles.preview} tabIndex={0} role="region" aria-label={t.preview}>
        <table>
          <thead>
            <tr>
              {used.map(({ column, index }) => (
                <th key={index}>
                  <code>{pathOf(column)}</code>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {samples.slice(0, SAMPLES).map(({ line, cells }) => (
              <tr key={line}>
                {used.map(({ index }) => (
                  <td key={index} title={cells[index]}>
                    {cells[index]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}
