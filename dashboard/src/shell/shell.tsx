/** The frame of every screen: environment, navigation, who is signed in, palette, keys, and the state of the network. */
import { Bars3Icon } from '@heroicons/react/20/solid'
import { Button } from '@mantine/core'
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { useSession } from '../session/session.tsx'
import { Account } from './account.tsx'
import { ConnectionBar } from './connection-bar.tsx'
import { EnvironmentSwitch } from './environment-switch.tsx'
import { InterruptionDialog } from './interruption-dialog.tsx'
import { KeyList } from './key-list.tsx'
import { groups, navigationTexts } from './navigation.ts'
import { Palette } from './palette.tsx'
import styles from './shell.module.css'
import { useSignInLinkOffer } from './sign-in-link-offer.ts'

const shellTexts = texts({
  en: {
    navigation: 'Navigation',
    skip: 'To the content',
    palette: 'Search or jump',
    keys: 'Keys',
    goTo: (screen: string) => `Go to ${screen}`,
    menu: 'Menu',
  },
  de: {
    navigation: 'Navigation',
    skip: 'Zum Inhalt',
    palette: 'Suchen',
    keys: 'Tasten',
    goTo: (screen: string) => `Zu ${screen}`,
    menu: 'Menü',
  },
})

const isApple = /Mac|iPhone|iPad/.test(navigator.platform)
const commandKey = isApple ? '⌘' : 'Ctrl '

export function Shell() {
  const t = useTexts(shellTexts)
  const names = useTexts(navigationTexts)
  const session = useSession()
  const navigate = useNavigate()
  useSignInLinkOffer()
  const [isPaletteOpen, setPaletteOpen] = useState(false)
  const [areKeysOpen, setKeysOpen] = useState(false)
  const [isMenuOpen, setMenuOpen] = useState(false)
  const pathname = useRouterState({ select: ({ location }) => location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes when another screen is shown
  useEffect(() => setMenuOpen(false), [pathname])
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a low window the selected screen is scrolled into view
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [pathname])
  const screens = groups.flatMap((group) => group.screens)
  useShortcuts([
    { keys: 'mod+k', label: t.palette, act: () => setPaletteOpen(true) },
    { keys: '?', label: t.keys, act: () => setKeysOpen(true) },
    ...screens.flatMap(({ name, key, to }) =>
      key ? [{ keys: `g ${key}`, label: t.goTo(names[name]), act: () => void navigate({ to }) }] : [],
    ),
  ])
  return (
    <div className={styles.shell} data-environment={session.environment}>
      <a className={styles.skip} href="#content">
        {t.skip}
      </a>
      <div className={styles.strip} aria-hidden />
      <header className={styles.top}>
        <button type="button" aria-label={t.menu} aria-expanded={isMenuOpen} onClick={() => setMenuOpen(!isMenuOpen)}>
          <Bars3Icon aria-hidden />
        </button>
        <img src="/app/icon.svg" alt="" width={24} height={24} />
        <EnvironmentSwitch />
      </header>
      <nav className={styles.navigation} aria-label={t.navigation} data-open={isMenuOpen}>
        <div className={styles.brand}>
          <img src="/app/icon.svg" alt="" width={24} height={24} />
          <strong>Postrider</strong>
        </div>
        <EnvironmentSwitch />
        <Button
          variant="default"
          fullWidth
          justify="space-between"
          rightSection={<kbd>{commandKey}K</kbd>}
          onClick={() => setPaletteOpen(true)}
        >
          {t.palette}
        </Button>
        <div ref={list} className={styles.groups}>
          {groups.map(({ name, screens: members }) => (
            <div key={name ?? 'first'} className={styles.group}>
              {name && <h2>{names[name]}</h2>}
              <ul>
                {members.map(({ name: screen, to, icon: Icon }) => (
                  <li key={to}>
                    <Link to={to} activeOptions={{ exact: to === '/' }} activeProps={{ 'aria-current': 'page' }}>
                      <Icon className={styles.icon} aria-hidden />
                      {names[screen]}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </div>
        <Account showKeys={() => setKeysOpen(true)} />
      </nav>
      {isMenuOpen && (
        <button type="button" className={styles.scrim} aria-label={t.menu} onClick={() => setMenuOpen(false)} />
      )}
      <main id="content" className={styles.content} tabIndex={-1}>
        <ConnectionBar />
        <Outlet />
      </main>
      <Palette isOpen={isPaletteOpen} close={() => setPaletteOpen(false)} />
      <KeyList isOpen={areKeysOpen} close={() => setKeysOpen(false)} />
      <InterruptionDialog />
    </div>
  )
}
