/** The button that releases held messages: all of them, after it was said how many there are. */
import { Button, type ButtonProps } from '@mantine/core'
import type { Release, Released } from '@postrider/client'
import { texts, useTexts } from '../language/language.tsx'
import { readFirst, useAction, useConfirm } from '../parts/confirm.tsx'
import { useFormat } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { integrationKey } from './integrations.ts'

const releaseTexts = texts({
  en: {
    held: 'Release held',
    release: (count: number, shown: string) => (count === 1 ? 'Release 1 message' : `Release ${shown} messages`),
    none: 'No message is held any more',
    text: 'They are tried again now, the oldest first. Those that an integration refuses again are held again. That cannot be undone.',
    released: (count: number, shown: string) =>
      count === 1 ? '1 message was released' : `${shown} messages were released`,
  },
  de: {
    held: 'Angehaltene freigeben',
    release: (count: number, shown: string) =>
      count === 1 ? '1 Nachricht freigeben' : `${shown} Nachrichten freigeben`,
    none: 'Keine Nachricht ist mehr angehalten',
    text: 'Sie werden jetzt wieder versucht, die älteste zuerst. Lehnt eine Integration sie erneut ab, werden sie wieder angehalten. Das lässt sich nicht rückgängig machen.',
    released: (count: number, shown: string) =>
      count === 1 ? '1 Nachricht ist freigegeben' : `${shown} Nachrichten sind freigegeben`,
  },
})

/** Every message once: one that is held again meanwhile is behind the cursor. */
async function releaseAll(chosen: Release): Promise<number> {
  let total = 0
  for (let cursor: string | undefined; ; ) {
    const reply = await api.messages.release({ ...chosen, ...(cursor !== undefined && { cursor }) })
    total += reply.released
    if (!reply.more || reply.cursor === undefined) return total
    cursor = reply.cursor
  }
}

interface ReleaseHeldProps extends Pick<ButtonProps, 'size' | 'variant'> {
  chosen: Pick<Release, 'filter' | 'message_ids'>
}

export function ReleaseHeld({ chosen, ...looks }: ReleaseHeldProps) {
  const t = useTexts(releaseTexts)
  const { number } = useFormat()
  const confirm = useConfirm()
  const release = useAction({
    act: () => releaseAll(chosen),
    done: (count) => (count === 0 ? t.none : t.released(count, number(count))),
    changes: [['messages'], integrationKey],
    isInSteps: true,
  })
  const confirmRelease = async ({ releasable = 0 }: Released) => {
    const title = t.release(releasable, number(releasable))
    if (releasable === 0 || (await confirm({ title, text: t.text, action: title }))) release.mutate()
  }
  const plan = useAction({
    act: () => readFirst(api.messages.release({ ...chosen, dry_run: true })),
    after: (planned) => void confirmRelease(planned),
  })
  return (
    <Button {...looks} loading={plan.isPending || release.isPending} onClick={() => plan.mutate()}>
      {t.held}
    </Button>
  )
}
