/** The keys that act on this page. */
import { Modal } from '@mantine/core'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { useShortcutList } from '../parts/shortcuts.tsx'
import styles from './key-list.module.css'

const keyTexts = texts({ en: { title: 'Keys on this page' }, de: { title: 'Tasten auf dieser Seite' } })

export function KeyList({ isOpen, close }: { isOpen: boolean; close(): void }) {
  const t = useTexts(words)
  const labels = useTexts(keyTexts)
  const list = useShortcutList()
  return (
    <Modal opened={isOpen} onClose={close} title={labels.title} closeButtonProps={{ 'aria-label': t.close }}>
      <dl className={styles.keys}>
        {isOpen &&
          list().map(({ keys, label }) => (
            <div key={`${keys} ${label}`}>
              <dt>
                {keys
                  .replace('mod+', '⌘/Ctrl ')
                  .split(' ')
                  .map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
              </dt>
              <dd>{label}</dd>
            </div>
          ))}
      </dl>
    </Modal>
  )
}
