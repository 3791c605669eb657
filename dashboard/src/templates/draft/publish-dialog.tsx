/** The changes of a publication, shown before it is made. */
import { Button, Group, Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { texts, useTexts } from '../../language/language.tsx'
import { words } from '../../language/texts.ts'
import { messageOf } from '../../parts/states.tsx'
import { api } from '../../session/api.ts'
import styles from '../editor.module.css'
import { areSame, Differences } from '../versions/differences.tsx'
import { type Draft, draftOf, inputOf } from './draft-store.ts'

const publishTexts = texts({
  en: {
    title: 'Publish the draft',
    publish: 'Publish draft',
    first: 'It has never been published: its events and sends fail until it is.',
    next: (version: string) =>
      `Messages from now on use the draft. Accepted messages keep ${version}. It can be taken back by publishing ${version} again.`,
    same: (version: string) => `The draft is the same as ${version}.`,
    diff: 'Differences to the published version',
    refused: 'It cannot be published yet:',
    warnings: 'Warnings',
    changes: 'Show what would change',
  },
  de: {
    title: 'Entwurf veröffentlichen',
    publish: 'Entwurf veröffentlichen',
    first: 'Die Vorlage ist noch nie veröffentlicht: Bis dahin schlagen ihre Ereignisse und Sendungen fehl.',
    next: (version: string) =>
      `Nachrichten nehmen ab jetzt den Entwurf. Angenommene behalten ${version}. Zurück geht es, indem ${version} wieder veröffentlicht wird.`,
    same: (version: string) => `Der Entwurf gleicht ${version}.`,
    diff: 'Unterschiede zur veröffentlichten Version',
    refused: 'Noch nicht zu veröffentlichen:',
    warnings: 'Hinweise',
    changes: 'Zeigen, was sich ändern würde',
  },
})

export interface PublishDialogProps {
  id: string
  draft: Draft
  isOpen: boolean
  close(): void
  publish(): void
  isPublishing: boolean
  showChanges(): void
}

export function PublishDialog({ id, draft, isOpen, close, publish, isPublishing, showChanges }: PublishDialogProps) {
  const t = useTexts(words)
  const labels = useTexts(publishTexts)
  const publishedQuery = useQuery({
    queryKey: ['notification', id, 'published'],
    queryFn: async ({ signal }) => {
      const current = await api.notifications.get(id, {}, { signal })
      return current.version === 'draft' ? null : current
    },
    enabled: isOpen,
    staleTime: 0,
  })
  const check = useQuery({
    queryKey: ['notification-publishable', inputOf(draft)],
    queryFn: ({ signal }) =>
      api.notifications.inspect({ notification: inputOf(draft), state: 'PUBLISHED' }, { signal, retries: 0 }),
    enabled: isOpen,
    retry: false,
  })
  const before = publishedQuery.data ? draftOf(publishedQuery.data) : undefined
  const isSame = before !== undefined && areSame(before, draft)
  const version = publishedQuery.data?.version ?? ''
  return (
    <Modal opened={isOpen} onClose={close} title={labels.title} size="xl" closeButtonProps={{ 'aria-label': t.close }}>
      <div className={styles.stack}>
        <p>{publishedQuery.data ? (isSame ? labels.same(version) : labels.next(version)) : labels.first}</p>
        {check.isError && (
          <p role="alert" className={styles.error}>
            {labels.refused} {messageOf(check.error)}
          </p>
        )}
        {check.data && check.data.warnings.length > 0 && (
          <ul className={styles.warnings} aria-label={labels.warnings}>
            {check.data.warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        )}
        {!isSame && publishedQuery.isSuccess && (
          <Differences key={version} label={labels.diff} before={before} after={draft} maxHeight="50vh" />
        )}
        <Group justify="flex-end">
          {publishedQuery.data && !isSame && (
            <Button variant="subtle" onClick={showChanges}>
              {labels.changes}
            </Button>
          )}
          <Button variant="default" onClick={close}>
            {t.cancel}
          </Button>
          <Button
            data-autofocus
            loading={isPublishing}
            disabled={!check.isSuccess || !publishedQuery.isSuccess || isSame}
            onClick={publish}
          >
            {labels.publish}
          </Button>
        </Group>
      </div>
    </Modal>
  )
}
