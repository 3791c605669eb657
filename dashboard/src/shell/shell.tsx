/** The frame of every screen: environment, navigation, who is signed in, palette, keys, and the state of the network. */
import { EllipsisHorizontalIcon, MagnifyingGlassIcon } from '@heroicons/react/20/solid'
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { Mark } from '../parts/mark.tsx'
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
    phone: 'Main screens',
    skip: 'To the content',
    search: 'Search',
    palette: 'Search or jump',
    keys: 'Keys',
    goTo: (screen: string) => `Go to ${screen}`,
    menu: 'All screens',
    more: 'All',
    test: 'Test environment',
    separate: 'Its own keys, integrations and messages: it shares nothing with production.',
  },
  de: {
    navigation: 'Navigation',
    phone: 'Hauptseiten',
    skip: 'Zum Inhalt',
    search: 'Suchen',
    palette: 'Suchen',
    keys: 'Tasten',
    goTo: (screen: string) => `Zu ${screen}`,
    menu: 'Alle Seiten',
    more: 'Alle',
    test: 'Testumgebung',
    separate: 'Eigene Schlüssel, Integrationen und Nachrichten: Mit der Produktion hat sie nichts gemeinsam.',
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
      {session.environment === 'test' && (
        <div className={styles.band} role="status">
          <b>{t.test}</b>
          <span>{t.separate}</span>
        </div>
      )}
      <header className={styles.top}>
        <Mark />
        <strong>Postrider</strong>
        <EnvironmentSwitch />
        <button type="button" className={styles.find} aria-label={t.palette} onClick={() => setPaletteOpen(true)}>
          <MagnifyingGlassIcon aria-hidden />
        </button>
      </header>
      <nav className={styles.navigation} aria-label={t.navigation} data-open={isMenuOpen}>
        <div className={styles.brand}>
          <Link to="/" aria-label="Postrider">
            <Mark />
          </Link>
          <div>
            <strong>Postrider</strong>
            <EnvironmentSwitch />
            <small>{location.host}</small>
          </div>
        </div>
        <button type="button" className={styles.jump} onClick={() => setPaletteOpen(true)}>
          <MagnifyingGlassIcon className={styles.icon} aria-hidden />
          <span>{t.search}</span>
          <kbd aria-hidden>{commandKey}K</kbd>
        </button>
        <div ref={list} className={styles.groups}>
          {groups.map(({ name, screens: members }) => (
            <div key={name ?? 'first'} className={styles.group}>
              {name && <h2>{names[name]}</h2>}
              <ul>
                {members.map(({ name: screen, to, icon: Icon }) => (
                  <li key={to}>
                    <Link
                      to={to}
                      title={names[screen]}
                      activeOptions={{ exact: to === '/' }}
                      activeProps={{ 'aria-current': 'page' }}
                    >
                      <Icon className={styles.icon} aria-hidden />
                      <span>{names[screen]}</span>
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
      <TabBar isMenuOpen={isMenuOpen} toggleMenu={() => setMenuOpen(!isMenuOpen)} />
      <Palette isOpen={isPaletteOpen} close={() => setPaletteOpen(false)} />
      <KeyList isOpen={areKeysOpen} close={() => setKeysOpen(false)} />
      <InterruptionDialog />
    </div>
  )
}

/** The four screens that are looked for on a phone, and the way to the others. */
const onPhone = ['/', '/send', '/messages', '/mailbox']

function TabBar({ isMenuOpen, toggleMenu }: { isMenuOpen: boolean; toggleMenu(): void }) {
  const t = useTexts(shellTexts)
  const names = useTexts(navigationTexts)
  const screens = groups.flatMap((group) => group.screens.filter(({ to }) => onPhone.includes(to)))
  return (
    <nav className={styles.tabs} aria-label={t.phone}>
      {screens.map(({ name, to, icon: Icon }) => (
        <Link key={to} to={to} activeOptions={{ exact: to === '/' }} activeProps={{ 'aria-current': 'page' }}>
          <Icon aria-hidden />
          {names[name]}
        </Link>
      ))}
      <button type="button" aria-label={t.menu} aria-expanded={isMenuOpen} onClick={toggleMenu}>
        <EllipsisHorizontalIcon aria-hidden />
        {t.more}
      </button>
    </nav>
  )
}
