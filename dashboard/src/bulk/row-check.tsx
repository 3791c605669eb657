/** The check of every row of a file by its columns, and the rows that are left out. */
import { useEffect, useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import type { CsvFile } from '../parts/csv.ts'
import { Section } from '../parts/page.tsx'
import { useFormat } from '../parts/time.tsx'
import { BadRows } from './bad-rows.tsx'
import styles from './bulk.module.css'
import type { Column, JobUser } from './columns.ts'
import { useErrorText } from './file-choice.tsx'
import { type Checked, checkRows, lineIds } from './upload.ts'

const TYPING_MS = 300

const checkTexts = texts({
  en: {
    check: 'Check',
    checking: (rows: string) => `${rows} rows checked …`,
    checked: (valid: string, rows: string) => `${valid} of ${rows} ${rows === '1' ? 'user is' : 'users are'} ready.`,
    allGood: (rows: string) => `All ${rows} users are ready.`,
    bad: (count: string) => `${count} rows are left out`,
  },
  de: {
    check: 'Prüfung',
    checking: (rows: string) => `${rows} Zeilen geprüft …`,
    checked: (valid: string, rows: string) =>
      `${valid} von ${rows} ${rows === '1' ? 'Nutzer ist' : 'Nutzern sind'} bereit.`,
    allGood: (rows: string) => `Alle ${rows} Nutzer sind bereit.`,
    bad: (count: string) => `${count} Zeilen werden ausgelassen`,
  },
})

export interface RowCheck extends Checked {
  isComplete: boolean
  /** The user of the first row without a problem. */
  firstUser?: JobUser
  error?: unknown
}

/** Every row of the file by these columns, again after each change. */
export function useRowCheck(csv: CsvFile | undefined, columns: readonly Column[]): RowCheck | undefined {
  const [check, setCheck] = useState<RowCheck>()
  useEffect(() => {
    setCheck(undefined)
    if (!csv) return
    let isGone = false
    const run = async () => {
      let checked: RowCheck = { rows: 0, valid: 0, bad: [], badCount: 0, isComplete: false }
      try {
        let firstUser: JobUser | undefined
        for await (const { rows, valid, bad, badCount, page } of checkRows(csv, columns, lineIds(''))) {
          if (isGone) return
          firstUser ??= page[0]?.user
          checked = { rows, valid, bad, badCount, isComplete: false, ...(firstUser && { firstUser }) }
          setCheck(checked)
        }
        if (!isGone) setCheck({ ...checked, isComplete: true })
      } catch (error) {
        if (!isGone) setCheck({ ...checked, error })
      }
    }
    const timer = setTimeout(() => void run(), TYPING_MS)
    return () => {
      isGone = true
      clearTimeout(timer)
    }
  }, [csv, columns])
  return check
}

export function RowCheckSection({ check, header }: { check: RowCheck; header: readonly string[] }) {
  const t = useTexts(checkTexts)
  const format = useFormat()
  const errorText = useErrorText()
  return (
    <Section title={t.check}>
      <div className={styles.form}>
        <p role="status">
          {!check.isComplete
            ? t.checking(format.number(check.rows))
            : check.badCount === 0
              ? t.allGood(format.number(check.rows))
              : t.checked(format.number(check.valid), format.number(check.rows))}
        </p>
        {check.error !== undefined && (
          <p className={styles.error} role="alert">
            {errorText(check.error)}
          </p>
        )}
        {check.badCount > 0 && (
          <BadRows
            label={t.bad(format.number(check.badCount))}
            {...{ header, rows: check.bad }}
            count={check.badCount}
          />
        )}
      </div>
    </Section>
  )
}
