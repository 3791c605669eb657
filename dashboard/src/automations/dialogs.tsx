/** A publication with its differences, shown before it is made; and the start of a run. */
import { Autocomplete, Button, Group, Modal } from '@mantine/core'
import type { AutomationTemplate } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { namesQuery } from '../names/names-query.ts'
import { CodeEditor } from '../parts/code/code.tsx'
import { isObject } from '../parts/code/json.ts'
import { JsonInput } from '../parts/code/json-input.tsx'
import { useAction } from '../parts/confirm.tsx'
import { DialogForm } from '../parts/dialog-form.tsx'
import { messageOf } from '../parts/states.tsx'
import { api } from '../session/api.ts'
import styles from './automations.module.css'
import { comparable, draftOf, type Fields, inputOf } from './draft.ts'
import type { DraftControl } from './use-draft.ts'

const dialogTexts = texts({
  en: {
    publish: (version: number) => `Publish version ${version}`,
    effect: (version: number) =>
      `Runs that start from now on take these steps. Runs in progress keep the steps of their start. Undo writes version ${version} again.`,
    published: (version: number) => `Version ${version} is in force`,
    same: (version: number) => `The draft is the same as version ${version}.`,
    diff: 'Differences to the version in force',
    refused: 'It cannot be published yet:',
    warnings: 'Ignored parts',
    conflict: (version: number, base: number) =>
      `Version ${version} was written after your draft began with version ${base}. What it changed is undone by your draft where the differences below say so.`,
    start: 'Start run',
    startEffect: (version: number) =>
      `Starts at once with version ${version}, for one recipient: its messages are really sent. The simulation shows them without sending.`,
    recipient: 'Recipient',
    data: 'Data',
    started: 'The run has started',
    draft: 'The draft is not published: the run takes the version in force.',
  },
  de: {
    publish: (version: number) => `Version ${version} veröffentlichen`,
    effect: (version: number) =>
      `Läufe, die ab jetzt beginnen, nehmen diese Schritte. Begonnene behalten die ihren. „Rückgängig“ schreibt Version ${version} noch einmal.`,
    published: (version: number) => `Version ${version} gilt jetzt`,
    same: (version: number) => `Der Entwurf gleicht Version ${version}.`,
    diff: 'Unterschiede zur geltenden Version',
    refused: 'Noch nicht zu veröffentlichen:',
    warnings: 'Ohne Wirkung',
    conflict: (version: number, base: number) =>
      `Version ${version} wurde geschrieben, nachdem dieser Entwurf mit Version ${base} begann. Was sie geändert hat, nimmt er zurück, wo die Unterschiede unten es zeigen.`,
    start: 'Lauf starten',
    startEffect: (version: number) =>
      `Beginnt sofort mit Version ${version}, für einen Empfänger: Seine Nachrichten werden wirklich gesendet. Die Simulation zeigt sie, ohne zu senden.`,
    recipient: 'Empfänger',
    data: 'Daten',
    started: 'Der Lauf hat begonnen',
    draft: 'Der Entwurf ist nicht veröffentlicht: Der Lauf nimmt die geltende Version.',
  },
})

export interface DialogProps {
  control: DraftControl
  isOpen: boolean
  close(): void
}

export function PublishDialog({ control, isOpen, close }: DialogProps) {
  const t = useTexts(words)
  const labels = useTexts(dialogTexts)
  const { base, draft, reset } = control
  const { id } = base
  const input = inputOf(draft)
  const current = useQuery({
    queryKey: ['automations', 'current', id],
    queryFn: ({ signal }) => api.automations.template(id, { signal }),
    enabled: isOpen,
    staleTime: 0,
    gcTime: 0,
  })
  const check = useQuery({
    queryKey: ['automation-inspection', id, input],
    queryFn: ({ signal }) => api.automations.inspect({ ...input, id }, { signal, retries: 0 }),
    enabled: isOpen,
    retry: false,
    gcTime: 60_000,
  })
  const version = current.data?.version ?? base.version
  const before = current.data && comparable(draftOf(current.data))
  const after = comparable(draft)
  const isSame = before === after
  const publish = useAction<void, AutomationTemplate>({
    // Only over the version whose differences are shown: after another change they are loaded and shown again.
    act: () => api.automations.putTemplate(id, input, { ifMatch: version }),
    done: (saved) => labels.published(saved.version),
    ...(current.data && {
      undo: (saved) => api.automations.putTemplate(id, inputOf(draftOf(current.data)), { ifMatch: saved.version }),
    }),
    changes: [['automations']],
    after: (saved) => {
      reset(saved)
      close()
    },
  })
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={labels.publish(version + 1)}
      size="xl"
      closeButtonProps={{ 'aria-label': t.close }}
    >
      <div className={styles.form}>
        {current.data && <p>{isSame ? labels.same(version) : labels.effect(version)}</p>}
        {current.isError && (
          <p role="alert" className={styles.problem}>
            {messageOf(current.error)}
          </p>
        )}
        {current.data && version !== base.version && !isSame && (
          <p role="alert" className={styles.warning}>
            {labels.conflict(version, base.version)}
          </p>
        )}
        {check.isError && (
          <p role="alert" className={styles.problem}>
            {labels.refused} {messageOf(check.error)}
          </p>
        )}
        {check.data && check.data.warnings.length > 0 && (
          <ul className={styles.warnings} aria-label={labels.warnings}>
            {check.data.warnings.map((warning) => (
              <li key={warning} className={styles.warning}>
                {warning}
              </li>
            ))}
          </ul>
        )}
        {before !== undefined && !isSame && (
          <CodeEditor label={labels.diff} readOnly value={after} original={before} maxHeight="50vh" />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t.cancel}
          </Button>
          <Button
            data-autofocus
            loading={publish.isPending}
            disabled={!check.isSuccess || !current.isSuccess || isSame}
            onClick={() => publish.mutate()}
          >
            {labels.publish(version + 1)}
          </Button>
        </Group>
      </div>
    </Modal>
  )
}

export function StartDialog({ control: { base, isDirty }, isOpen, close }: DialogProps) {
  const t = useTexts(words)
  const labels = useTexts(dialogTexts)
  const navigate = useNavigate()
  const users = useQuery({ ...namesQuery('user'), enabled: isOpen })
  const [recipient, setRecipient] = useState('')
  const [data, setData] = useState<Fields>()
  const start = useAction({
    act: () =>
      api.automations.invokeTemplate(
        base.id,
        { ...(recipient !== '' && { recipient }), ...(data && { data: { ...data } }) },
        { retries: 0 },
      ),
    done: labels.started,
    changes: [['automations']],
    after: ({ runId }) => void navigate({ to: '/runs/$runId', params: { runId } }),
  })
  return (
    <Modal opened={isOpen} onClose={close} title={labels.start} closeButtonProps={{ 'aria-label': t.close }}>
      <DialogForm action={labels.start} isReady isPending={start.isPending} submit={start.mutate} close={close}>
        <p>{labels.startEffect(base.version)}</p>
        {isDirty && <p className={styles.warning}>{labels.draft}</p>}
        <Autocomplete
          data-autofocus
          label={labels.recipient}
          data={users.data ?? []}
          limit={20}
          spellCheck={false}
          value={recipient}
          onChange={setRecipient}
        />
        <JsonInput
          label={labels.data}
          value={data}
          isValid={(value) => value === undefined || isObject(value)}
          set={(value) => setData(isObject(value) ? value : undefined)}
        />
      </DialogForm>
    </Modal>
  )
}
