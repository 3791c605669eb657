/** The frame of every screen: environment, navigation, who is signed in, palette, keys, and the state of the network. */
import { EllipsisHorizontalIcon, MagnifyingGlassIcon } from '@heroicons/react/20/solid'
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { lazy, type MouseEvent, Suspense, useEffect, useState } from 'react'
import { usePausedSince } from '../health/pause.ts'
import { texts, useTexts } from '../language/language.tsx'
import { Mark } from '../parts/mark.tsx'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { useSession } from '../session/session.tsx'
import { AreaTabs } from './area-tabs.tsx'
import { ConnectionBar } from './connection-bar.tsx'
import { EnvironmentSwitch } from './environment-switch.tsx'
import { FailingIntegrations } from './failing-integrations.tsx'
import { InterruptionDialog } from './interruption-dialog.tsx'
import { KeyList } from './key-list.tsx'
import { areaOf, areas, navigationTexts, screens } from './navigation.ts'
import { Palette } from './palette.tsx'
import { Rail } from './rail.tsx'
import styles from './shell.module.css'
import { useSignInLinkOffer } from './sign-in-link-offer.ts'

const shellTexts = texts({
  en: {
    phone: 'Main screens',
    skip: 'To the content',
    palette: 'Search or jump',
    keys: 'Keys',
    goTo: (screen: string) => `Go to ${screen}`,
    closeMenu: 'Close the navigation',
    more: 'All',
    screens: 'screens',
    test: 'Test environment',
    separate: 'Its own keys, integrations and messages: it shares nothing with production.',
  },
  de: {
    phone: 'Hauptseiten',
    skip: 'Zum Inhalt',
    palette: 'Suchen',
    keys: 'Tasten',
    goTo: (screen: string) => `Zu ${screen}`,
    closeMenu: 'Navigation schließen',
    more: 'Alle',
    screens: 'Seiten',
    test: 'Testumgebung',
    separate: 'Eigene Schlüssel, Integrationen und Nachrichten: Mit der Produktion hat sie nichts gemeinsam.',
  },
})

/** Almost never shown. */
const PauseBar = lazy(() => import('./pause-bar.tsx'))

export function Shell() {
  const t = useTexts(shellTexts)
  const names = useTexts(navigationTexts)
  const session = useSession()
  const navigate = useNavigate()
  const pausedSince = usePausedSince()
  useSignInLinkOffer()
  const [isPaletteOpen, setPaletteOpen] = useState(false)
  const [areKeysOpen, setKeysOpen] = useState(false)
  const [isMenuOpen, setMenuOpen] = useState(false)
  // A slash at the end leads to the same screen.
  const pathname = useRouterState({ select: ({ location }) => location.pathname.replace(/(?<=.)\/$/, '') })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes when another screen is shown
  useEffect(() => setMenuOpen(false), [pathname])
  useShortcuts([
    { keys: 'mod+k', label: t.palette, act: () => setPaletteOpen(true) },
    { keys: '?', label: t.keys, act: () => setKeysOpen(true) },
    ...screens.flatMap(({ name, key, to }) =>
      key ? [{ keys: `g ${key}`, label: t.goTo(names[name]), act: () => void navigate({ to }) }] : [],
    ),
  ])
  return (
    <div className={styles.shell} data-environment={session.environment}>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to the content where that has no form */}
      <a className={styles.skip} href="#content" onClick={skipToField}>
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
      <Rail
        pathname={pathname}
        isOpen={isMenuOpen}
        openPalette={() => setPaletteOpen(true)}
        showKeys={() => setKeysOpen(true)}
      />
      {isMenuOpen && (
        <button type="button" className={styles.scrim} aria-label={t.closeMenu} onClick={() => setMenuOpen(false)} />
      )}
      <main id="content" className={styles.content} tabIndex={-1}>
        <ConnectionBar />
        {pausedSince !== null && (
          <Suspense>
            <PauseBar since={pausedSince} />
          </Suspense>
        )}
        <AreaTabs pathname={pathname} />
        <Outlet />
      </main>
      <TabBar pathname={pathname} isMenuOpen={isMenuOpen} toggleMenu={() => setMenuOpen(!isMenuOpen)} />
      <Palette isOpen={isPaletteOpen} close={() => setPaletteOpen(false)} />
      <KeyList isOpen={areKeysOpen} close={() => setKeysOpen(false)} />
      <InterruptionDialog />
    </div>
  )
}

/** Where the content is a form that is filled in, it begins with its first field. */
function skipToField(event: MouseEvent) {
  const field = document.querySelector<HTMLElement>('#content form[data-skip-target] input')
  if (!field) return
  event.preventDefault()
  field.focus()
}

/** The areas that are looked for on a phone, before the way to the others. */
const ON_PHONE = 4

interface TabBarProps {
  pathname: string
  isMenuOpen: boolean
  toggleMenu(): void
}

function TabBar({ pathname, isMenuOpen, toggleMenu }: TabBarProps) {
  const t = useTexts(shellTexts)
  const names = useTexts(navigationTexts)
  const current = areaOf(pathname)
  return (
    <nav className={styles.tabs} aria-label={t.phone}>
      {areas.slice(0, ON_PHONE).map((area) => (
        <Link
          key={area.name}
          to={area.screens[0].to}
          activeOptions={{ exact: true }}
          aria-current={area === current ? 'true' : undefined}
        >
          <area.icon aria-hidden />
          {names[area.name]}
        </Link>
      ))}
      <button type="button" aria-expanded={isMenuOpen} onClick={toggleMenu}>
        <EllipsisHorizontalIcon aria-hidden />
        <span>
          {t.more}
          <span className="visually-hidden"> {t.screens}</span>
        </span>
        <FailingIntegrations />
      </button>
    </nav>
  )
}
