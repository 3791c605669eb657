/** Replays what a filter matches, or chosen messages: first a dry run that shows how many and which, then the progress. */
import { Button, Group, Modal, Progress } from '@mantine/core'
import type { ReplayPlan, ReplayWrite } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { isAnonymous } from '../names/recipient-ids.ts'
import { useAction } from '../parts/confirm.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { MessageStatusTag } from '../parts/status.tsx'
import { useFormat } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import styles from './messages.module.css'

const replayTexts = texts({
  en: {
    title: 'Replay messages',
    text: 'Each is sent again as a new message with the same inputs, decided with the templates, profiles and preferences of now.',
    none: 'None of these messages can be replayed.',
    one: '1 message',
    many: (count: string) => `${count} messages`,
    rate: (rate: string, duration: string) => `${rate} a minute, done in ${duration}.`,
    first: 'The first of them',
    withoutUser: 'without a user',
    left: (count: string, reason: string) => `${count} left out: ${reason}`,
    not_found: 'no message has the id',
    erased: 'the recipient was erased',
    in_progress: 'still on its way',
    content_expired: 'the content is past its retention',
    already_replayed: 'replayed before',
    start: (messages: string) => `Replay ${messages}`,
    stop: 'Stop the replay',
    stopped: 'The replay is stopped',
    done: (replayed: string, failures: string) => `${replayed} replayed, ${failures} failed`,
    running: (replayed: string, all: string) => `${replayed} of ${all} replayed`,
  },
  de: {
    title: 'Nachrichten wiederholen',
    text: 'Jede wird als neue Nachricht mit denselben Eingaben gesendet und mit den jetzigen Vorlagen, Profilen und Einstellungen entschieden.',
    none: 'Keine dieser Nachrichten kann wiederholt werden.',
    one: '1 Nachricht',
    many: (count: string) => `${count} Nachrichten`,
    rate: (rate: string, duration: string) => `${rate} pro Minute, fertig in ${duration}.`,
    first: 'Die ersten davon',
    withoutUser: 'ohne Nutzer',
    left: (count: string, reason: string) => `${count} ausgelassen: ${reason}`,
    not_found: 'keine Nachricht hat diese Id',
    erased: 'der Empfänger wurde gelöscht',
    in_progress: 'noch unterwegs',
    content_expired: 'der Inhalt ist nicht mehr aufbewahrt',
    already_replayed: 'schon wiederholt',
    start: (messages: string) => `${messages} wiederholen`,
    stop: 'Wiederholung stoppen',
    stopped: 'Die Wiederholung ist gestoppt',
    done: (replayed: string, failures: string) => `${replayed} wiederholt, ${failures} fehlgeschlagen`,
    running: (replayed: string, all: string) => `${replayed} von ${all} wiederholt`,
  },
})

const PROGRESS_MS = 1_000

export function ReplayDialog({ chosen, close }: { chosen: ReplayWrite | undefined; close(): void }) {
  const t = useTexts(replayTexts)
  const w = useTexts(words)
  const [replayId, setReplayId] = useState<string>()
  const leave = () => {
    setReplayId(undefined)
    close()
  }
  return (
    <Modal
      opened={chosen !== undefined}
      onClose={leave}
      title={t.title}
      size="lg"
      closeButtonProps={{ 'aria-label': w.close }}
    >
      {chosen && !replayId && <Plan chosen={chosen} start={setReplayId} />}
      {replayId && <Running replayId={replayId} />}
    </Modal>
  )
}

function Plan({ chosen, start }: { chosen: ReplayWrite; start(replayId: string): void }) {
  const t = useTexts(replayTexts)
  const format = useFormat()
  const plan = useQuery({
    queryKey: ['replay', 'plan', chosen],
    queryFn: ({ signal }) => api.replays.create({ ...chosen, dry_run: true }, { signal }),
    staleTime: 0,
  })
  const replay = useAction({
    act: ({ replayable, set }: Pick<ReplayPlan, 'replayable' | 'set'>) =>
      api.replays.create({ ...chosen, confirm: replayable, set }),
    changes: [['messages']],
    after: ({ id }) => id && start(id),
  })
  if (plan.isPending) return <Loading rows={5} />
  if (plan.isError) return <Failed error={plan.error} retry={plan.refetch} />
  const { replayable, messages, excluded, rate_per_minute, duration_ms } = plan.data
  const amount = replayable === 1 ? t.one : t.many(format.number(replayable))
  return (
    <div className={styles.plan}>
      <p className={styles.count}>{replayable === 0 ? t.none : amount}</p>
      {replayable > 0 && (
        <p className={styles.dim}>
          {t.text} {t.rate(format.number(rate_per_minute), format.duration(duration_ms))}
        </p>
      )}
      {messages.length > 0 && (
        <div>
          <p className={styles.dim}>{t.first}</p>
          <ul className={styles.planRows}>
            {messages.map(({ id, status, recipient, event, error }) => (
              <li key={id}>
                <MessageStatusTag status={status} />
                <span title={recipient}>{isAnonymous(recipient) ? t.withoutUser : recipient}</span>
                <span title={error ?? event} className={styles.dim}>
                  {error ?? event}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {excluded.map(({ reason, count }) => (
        <p key={reason} className={styles.dim}>
          {t.left(format.number(count), t[reason])}
        </p>
      ))}
      {replayable > 0 && (
        <Group justify="flex-end">
          <Button loading={replay.isPending} onClick={() => replay.mutate(plan.data)}>
            {t.start(amount)}
          </Button>
        </Group>
      )}
    </div>
  )
}

function Running({ replayId }: { replayId: string }) {
  const t = useTexts(replayTexts)
  const format = useFormat()
  const key = ['replay', replayId]
  const { data, error, refetch } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => api.replays.get(replayId, { signal }),
    refetchInterval: ({ state }) => (state.data && state.data.status !== 'PROCESSING' ? false : PROGRESS_MS),
  })
  const stop = useAction({ act: () => api.replays.cancel(replayId), done: t.stopped, changes: [key] })
  if (!data) return error ? <Failed error={error} retry={refetch} /> : <Loading rows={2} />
  const { status, replayed, replayable, failures } = data
  const isRunning = status === 'PROCESSING'
  return (
    <div className={styles.plan} role="status">
      <p className={styles.count}>
        {isRunning
          ? t.running(format.number(replayed), format.number(replayable))
          : t.done(format.number(replayed), format.number(failures))}
      </p>
      <Progress value={replayable === 0 ? 100 : ((replayed + failures) / replayable) * 100} aria-label={t.title} />
      {data.error && <p className={styles.dim}>{data.error}</p>}
      {isRunning && (
        <Group justify="flex-end">
          <Button variant="default" loading={stop.isPending} onClick={() => stop.mutate()}>
            {t.stop}
          </Button>
        </Group>
      )}
    </div>
  )
}
