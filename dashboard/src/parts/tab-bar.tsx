/** Tabs whose choice the screen keeps in its address; those that do not fit beside each other are scrolled to. */
import { Tabs } from '@mantine/core'
import { useEffect, useRef } from 'react'
import styles from './tab-bar.module.css'

export interface TabListProps<Name extends string> {
  label: string
  tabs: readonly { name: Name; title: string }[]
  /** Null where none of them is chosen. */
  value: Name | null
}

export interface TabBarProps<Name extends string> extends TabListProps<Name> {
  choose(name: Name): void
}

export function TabBar<Name extends string>({ choose, ...list }: TabBarProps<Name>) {
  return (
    <Tabs
      value={list.value}
      onChange={(name) => {
        const tab = list.tabs.find((each) => each.name === name)
        if (tab) choose(tab.name)
      }}
    >
      <TabList {...list} />
    </Tabs>
  )
}

/** The names of tabs, within Mantine's `Tabs`. */
export function TabList<Name extends string>({ label, tabs, value }: TabListProps<Name>) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>(`[data-tab="${value}"]`)
    if (list.current && tab) list.current.scrollLeft = tab.offsetLeft - (list.current.clientWidth - tab.offsetWidth) / 2
  }, [value])
  return (
    <Tabs.List ref={list} aria-label={label} className={styles.list}>
      {tabs.map(({ name, title }) => (
        <Tabs.Tab key={name} value={name} data-tab={name}>
          {title}
        </Tabs.Tab>
      ))}
    </Tabs.List>
  )
}
