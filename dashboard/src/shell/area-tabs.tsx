/** The screens of an area, above each of them; those that do not fit beside each other are scrolled to. */
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useTexts } from '../language/language.tsx'
import { areaOf, navigationTexts } from './navigation.ts'
import styles from './shell.module.css'

export function AreaTabs({ pathname }: { pathname: string }) {
  const names = useTexts(navigationTexts)
  const list = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is the current one then
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [pathname])
  const area = areaOf(pathname)
  // A record has a path of its own, back to its list.
  if (!area || area.screens.length === 1 || !area.screens.some(({ to }) => to === pathname)) return null
  return (
    <nav ref={list} className={styles.areaTabs} aria-label={names[area.name]}>
      {area.screens.map(({ name, to }) => (
        <Link key={to} to={to} activeProps={{ 'aria-current': 'page' }}>
          {names[name]}
        </Link>
      ))}
    </nav>
  )
}
