/** Rows that are left out, by line and reason, and as a file to correct. */
import { Button } from '@mantine/core'
import { texts, useTexts } from '../language/language.tsx'
import { csvLine, saveFile } from '../parts/csv.ts'
import { useFormat } from '../parts/time.tsx'
import styles from './bulk.module.css'
import { bulkTexts } from './bulk-texts.tsx'
import type { Problem } from './columns.ts'
import type { BadRow } from './upload.ts'

const SHOWN_MAX = 50

const badTexts = texts({
  en: {
    save: 'Download these rows',
    row: 'Row',
    more: (count: string) => `and ${count} more`,
    unreachable: () => 'It has neither a user id nor an address',
    email: (address: string) => `${address} is no email address`,
    type: (column: string) => `The cell of ${column} does not have the type of its column`,
    cells: (count: string) => `It has ${count} cells, more than the header`,
    id: (max: string) => `The user id has more than ${max} characters`,
    path: (column: string) => `${column} cannot be put where another column is`,
    duplicate: (line: string) => `The same user is in line ${line}`,
    refused: (sentence: string) => sentence,
  },
  de: {
    save: 'Diese Zeilen herunterladen',
    row: 'Inhalt',
    more: (count: string) => `und ${count} weitere`,
    unreachable: () => 'Weder eine Nutzer-Id noch eine Adresse',
    email: (address: string) => `${address} ist keine E-Mail-Adresse`,
    type: (column: string) => `Die Zelle von ${column} hat nicht den Typ ihrer Spalte`,
    cells: (count: string) => `${count} Zellen, mehr als die Kopfzeile`,
    id: (max: string) => `Die Nutzer-Id hat mehr als ${max} Zeichen`,
    path: (column: string) => `${column} passt nicht neben eine andere Spalte`,
    duplicate: (line: string) => `Derselbe Nutzer steht in Zeile ${line}`,
    refused: (sentence: string) => sentence,
  },
})

export interface BadRowsProps {
  label: string
  header: readonly string[]
  rows: readonly BadRow[]
  /** How many there are; the first of them are listed. */
  count: number
}

export function BadRows({ label, header, rows, count }: BadRowsProps) {
  const t = useTexts(badTexts)
  const bulk = useTexts(bulkTexts)
  const format = useFormat()
  const reasonOf = ({ code, detail }: Problem) => t[code](detail)
  return (
    <div className={styles.form}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard */}
      <div className={styles.preview} tabIndex={0} role="region" aria-label={label}>
        <table>
          <thead>
            <tr>
              <th>{bulk.line}</th>
              <th>{bulk.reason}</th>
              <th>{t.row}</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, SHOWN_MAX).map(({ line, problem, cells }) => (
              <tr key={line}>
                <td>{line}</td>
                <td title={reasonOf(problem)}>{reasonOf(problem)}</td>
                <td title={cells.join(', ')}>{cells.join(', ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className={styles.actions}>
        <Button
          variant="default"
          size="compact-sm"
          onClick={() =>
            saveFile('rows.csv', [
              csvLine([bulk.line, bulk.reason, ...header]),
              ...rows.map(({ line, problem, cells }) => csvLine([line, reasonOf(problem), ...cells])),
            ])
          }
        >
          {t.save}
        </Button>
        {count > SHOWN_MAX && <span className={styles.small}>{t.more(format.number(count - SHOWN_MAX))}</span>}
      </div>
    </div>
  )
}
