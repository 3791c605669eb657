/** Says on every screen that deliveries are paused, and since when. */
import { Button } from '@mantine/core'
import { useIsOperator } from '../health/pause.ts'
import { usePauseChange } from '../health/pause-change.ts'
import { texts, useTexts } from '../language/language.tsx'
import { Time } from '../parts/time.tsx'
import styles from './connection-bar.module.css'

const barTexts = texts({
  en: { paused: 'Deliveries are paused: sends are accepted, and nothing leaves. Paused' },
  de: { paused: 'Die Zustellung ist pausiert: Nachrichten werden angenommen, und nichts geht hinaus. Pausiert' },
})

export default function PauseBar({ since }: { since: number }) {
  const t = useTexts(barTexts)
  const resume = usePauseChange('resume')
  const isOperator = useIsOperator()
  return (
    <div className={styles.bar} role="status">
      <span>
        {t.paused} <Time at={since} />
      </span>
      {isOperator && (
        <Button size="compact-sm" variant="default" disabled={resume.isPending} onClick={() => void resume.start()}>
          {resume.label}
        </Button>
      )}
    </div>
  )
}
