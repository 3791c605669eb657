/** A sign-in link that is opened in a browser with a session: the person decides whether another key takes over. */
import { useEffect } from 'react'
import { home } from '../address.ts'
import { texts, useTexts } from '../language/language.tsx'
import { useAction, useConfirm } from '../parts/confirm.tsx'
import { api } from '../session/api.ts'
import { useInterruption } from '../session/interruption.ts'
import { useSession } from '../session/session.tsx'
import { takeSignInLink, useHasSignInLink } from '../session/sign-in-link.ts'

const offerTexts = texts({
  en: {
    title: 'Sign in with the link?',
    text: (key: string) =>
      `You are signed in with the key ${key}. The link signs in with its own key instead; what is not saved here is lost.`,
    action: 'Sign in with the link',
  },
  de: {
    title: 'Mit dem Link anmelden?',
    text: (key: string) =>
      `Angemeldet ist der Schlüssel ${key}. Der Link meldet stattdessen seinen eigenen an; nicht Gespeichertes geht dabei verloren.`,
    action: 'Mit dem Link anmelden',
  },
})

export function useSignInLinkOffer(): void {
  const t = useTexts(offerTexts)
  const { key } = useSession()
  const confirm = useConfirm()
  const hasLink = useHasSignInLink()
  // Over a session that has ended, the form to sign in again takes the link.
  const hasEnded = useInterruption()?.kind === 'ended'
  const signIn = useAction({
    act: (link: string) => api.sessions.signIn({ link }),
    after: () => location.assign(home),
  })
  useEffect(() => {
    const link = hasLink && !hasEnded ? takeSignInLink() : undefined
    if (link === undefined) return
    void confirm({ title: t.title, text: t.text(key.name), action: t.action }).then((isConfirmed) => {
      if (isConfirmed) signIn.mutate(link)
    })
  }, [hasLink, hasEnded, confirm, signIn.mutate, key.name, t])
}
