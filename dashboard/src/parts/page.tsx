/** The skeleton of every screen: title, description, actions, tabs, body and a side panel. */
import type { ReactNode } from 'react'
import { useEffect } from 'react'
import styles from './page.module.css'

export interface PageProps {
  title: string
  /** The name in the browser's tab, where the title is not enough. */
  tabTitle?: string
  /** Beside the title: a status, an id. */
  badge?: ReactNode
  description?: ReactNode
  /** Answers the question of the screen, larger than its title. */
  sentence?: ReactNode
  /** The body begins with the sentence. */
  isTitleSmall?: boolean
  actions?: ReactNode
  /** An empty body offers the same button: the head leaves it out then. */
  areActionsInEmpty?: boolean
  /** Filters or tabs, between head and body. */
  bar?: ReactNode
  panel?: ReactNode
  /** `full` for tables and editors; text and forms are read at `column`. */
  width?: 'full' | 'column'
  children: ReactNode
}

export function Page({
  title,
  tabTitle = title,
  badge,
  description,
  sentence,
  isTitleSmall = sentence !== undefined,
  actions,
  areActionsInEmpty = false,
  bar,
  panel,
  width = 'full',
  children,
}: PageProps) {
  useTabTitle(tabTitle)
  return (
    <div
      className={areActionsInEmpty ? `${styles.page} ${styles.once}` : styles.page}
      data-width={panel ? 'full' : width}
    >
      <header className={styles.head} data-says={isTitleSmall}>
        <div className={styles.heading}>
          <h1 tabIndex={-1}>{title}</h1>
          {badge}
        </div>
        {sentence !== undefined && <p className={styles.sentence}>{sentence}</p>}
        {description && <div className={styles.description}>{description}</div>}
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {bar && <div className={styles.bar}>{bar}</div>}
      <div className={panel ? styles.split : undefined}>
        <div className={width === 'column' ? styles.column : styles.full}>{children}</div>
        {panel && <aside className={styles.panel}>{panel}</aside>}
      </div>
    </div>
  )
}

export interface RecordPageProps extends Pick<PageProps, 'actions' | 'children'> {
  /** The list that it is from, and its id. */
  path: ReactNode
  tabTitle: string
  /** Above the sentence: a status, a time. */
  lead: ReactNode
  /** Answers the question of the page; it is the heading of it. */
  sentence: ReactNode
  /** One finding with its remedy. */
  note?: ReactNode
}

/** One object of a list, whose heading is a sentence about it. The actions come after the sentence in the order of reading. */
export function RecordPage({ path, tabTitle, lead, sentence, note, actions, children }: RecordPageProps) {
  useTabTitle(tabTitle)
  return (
    <div className={styles.page} data-width="full">
      <header className={styles.recordHead}>
        <div className={styles.path}>{path}</div>
        <div className={styles.answer}>
          <div className={styles.lead}>{lead}</div>
          <div aria-live="polite">{sentence}</div>
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
        {note && <div className={styles.recordNote}>{note}</div>}
      </header>
      {children}
    </div>
  )
}

function useTabTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Postrider`
  }, [title])
}

/** A titled part of a body. */
export function Section({
  title,
  actions,
  description,
  id,
  children,
}: Pick<PageProps, 'title' | 'actions' | 'description' | 'children'> & { id?: string }) {
  return (
    <section className={styles.section} id={id}>
      <header className={styles.sectionHead}>
        <h2>{title}</h2>
        {actions && <div className={styles.actions}>{actions}</div>}
        {description && <div className={styles.description}>{description}</div>}
      </header>
      {children}
    </section>
  )
}

/** A surface with a border around what belongs together. */
export function Card({ children, padded = true }: { children: ReactNode; padded?: boolean }) {
  return <div className={padded ? `${styles.card} ${styles.padded}` : styles.card}>{children}</div>
}

interface FactsProps {
  facts: readonly (readonly [name: string, value: ReactNode] | false | undefined)[]
  /** `rows`: one pair a row, in two columns on a wide screen. `strip`: side by side. */
  layout?: 'rows' | 'strip'
}

/** Names and values. */
export function Facts({ facts, layout = 'rows' }: FactsProps) {
  return (
    <dl className={layout === 'strip' ? styles.strip : styles.facts}>
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

/** Equal columns that wrap by themselves; Mantine's grid would write a style element. */
export function Columns({ min = 280, children }: { min?: number; children: ReactNode }) {
  return (
    <div
      className={styles.columns}
      style={{ gridTemplateColumns: `repeat(auto-fill, minmax(min(${min}px, 100%), 1fr))` }}
    >
      {children}
    </div>
  )
}
