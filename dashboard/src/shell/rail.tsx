/** The rail: where one is, the search, the areas, and the session. On a phone it is a drawer. */
import { MagnifyingGlassIcon } from '@heroicons/react/20/solid'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { Mark } from '../parts/mark.tsx'
import { keyName } from '../parts/shortcuts.tsx'
import { Account } from './account.tsx'
import { EnvironmentSwitch } from './environment-switch.tsx'
import { FailingIntegrations } from './failing-integrations.tsx'
import { areaOf, groups, navigationTexts } from './navigation.ts'
import styles from './shell.module.css'

const railTexts = texts({
  en: { navigation: 'Navigation', search: 'Search' },
  de: { navigation: 'Navigation', search: 'Suchen' },
})

interface RailProps {
  pathname: string
  isOpen: boolean
  openPalette(): void
  showKeys(): void
}

export function Rail({ pathname, isOpen, openPalette, showKeys }: RailProps) {
  const t = useTexts(railTexts)
  const names = useTexts(navigationTexts)
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a low window the selected area is scrolled into view
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [pathname])
  const current = areaOf(pathname)
  return (
    <nav className={styles.navigation} aria-label={t.navigation} data-open={isOpen}>
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
      <button type="button" className={styles.jump} onClick={openPalette}>
        <MagnifyingGlassIcon className={styles.icon} aria-hidden />
        <span>{t.search}</span>
        <kbd aria-hidden>{keyName('mod+k')}</kbd>
      </button>
      <div ref={list} className={styles.groups}>
        {groups.map((areas) => (
          <ul key={areas[0]?.name}>
            {areas.map((area) => (
              <li key={area.name}>
                <Link
                  to={area.screens[0].to}
                  title={names[area.name]}
                  activeOptions={{ exact: true }}
                  aria-current={area === current ? 'true' : undefined}
                >
                  <area.icon className={styles.icon} aria-hidden />
                  <span>{names[area.name]}</span>
                  {area.name === 'integrations' && <FailingIntegrations />}
                </Link>
              </li>
            ))}
          </ul>
        ))}
      </div>
      <Account showKeys={showKeys} />
    </nav>
  )
}
