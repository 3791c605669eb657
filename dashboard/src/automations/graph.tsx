/** The steps of an automation from its start to its end, with the ways around a step: a condition, a limit of runs. */
import {
  ArrowDownTrayIcon,
  ArrowPathRoundedSquareIcon,
  BookOpenIcon,
  ClockIcon,
  CubeTransparentIcon,
  EnvelopeIcon,
  FunnelIcon,
  InboxStackIcon,
  ListBulletIcon,
  NoSymbolIcon,
  PencilSquareIcon,
  RectangleStackIcon,
  UsersIcon,
} from '@heroicons/react/20/solid'
import type { ComponentType, ReactNode } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import type { Tone } from '../parts/status.tsx'
import styles from './automations.module.css'
import { detailOf, type Fields, jumpOf } from './draft.ts'
import { type Action, isAction, stepTexts } from './step-fields.ts'

const graphTexts = texts({
  en: {
    label: 'Steps',
    start: 'Start',
    end: 'End',
    step: (number: number) => `Step ${number}`,
    onlyIf: 'Only if',
    afterLimit: (number: number) => `Over the limit: on at step ${number}`,
    ref: 'Known to later steps by this name',
  },
  de: {
    label: 'Schritte',
    start: 'Start',
    end: 'Ende',
    step: (number: number) => `Schritt ${number}`,
    onlyIf: 'Nur wenn',
    afterLimit: (number: number) => `Über der Grenze: weiter bei Schritt ${number}`,
    ref: 'Unter diesem Namen kennen ihn spätere Schritte',
  },
})

type Icon = ComponentType<{ className?: string | undefined; 'aria-hidden'?: boolean }>
const icons: Record<Action, Icon> = {
  send: EnvelopeIcon,
  'send-list': UsersIcon,
  delay: ClockIcon,
  cancel: NoSymbolIcon,
  'fetch-data': ArrowDownTrayIcon,
  'update-profile': PencilSquareIcon,
  'get-profile': BookOpenIcon,
  'update-list': ListBulletIcon,
  invoke: ArrowPathRoundedSquareIcon,
  'add-to-batch': RectangleStackIcon,
  'add-to-digest': InboxStackIcon,
  throttle: FunnelIcon,
}

export interface GraphStep {
  key: string
  fields: Fields
}

export interface GraphProps {
  steps: readonly GraphStep[]
  /** How it starts and ends. */
  start?: ReactNode
  end?: ReactNode
  /** The color of the step's point: its result. */
  toneOf?(position: number): Tone | undefined
  /** A point that was not reached is hollow. */
  isReached?(position: number): boolean
  isCurrent?(position: number): boolean
  /** Beside the name of the step. */
  aside?(position: number): ReactNode
  /** Under the name of the step. */
  body?(position: number): ReactNode
  open?: number | undefined
  onOpen?(position: number | undefined): void
  /** Between the steps: before the step at the position. */
  between?(position: number): ReactNode
}

/** The parts of the ways that pass a step: `from` it, `to` it, or `through` beside it. */
function jumpPart(jumps: readonly (number | undefined)[], position: number): 'from' | 'to' | 'through' | undefined {
  if (jumps[position] !== undefined) return 'from'
  if (jumps.some((to) => to === position)) return 'to'
  return jumps.some((to, from) => to !== undefined && from < position && position < to) ? 'through' : undefined
}

export function Graph({ steps, start, end, between, ...shown }: GraphProps) {
  const t = useTexts(graphTexts)
  const fields = steps.map((step) => step.fields)
  const jumps = fields.map((_, position) => jumpOf(fields, position))
  return (
    <ol className={styles.graph} aria-label={t.label}>
      <li className={styles.terminal} data-end="start">
        <span className={styles.dot} aria-hidden />
        <div>
          <strong>{t.start}</strong> {start}
        </div>
      </li>
      {steps.map((step, position) => (
        <li
          key={step.key}
          className={styles.step}
          data-conditional={hasCondition(step.fields)}
          data-jump={jumpPart(jumps, position)}
          data-tone={shown.toneOf?.(position) ?? 'none'}
          data-reached={shown.isReached?.(position) ?? true}
          aria-current={shown.isCurrent?.(position) ? 'step' : undefined}
        >
          {between && <div className={styles.between}>{between(position)}</div>}
          <Step {...shown} {...{ position, fields, jump: jumps[position] }} />
        </li>
      ))}
      <li className={styles.terminal} data-end="end">
        {between && <div className={styles.between}>{between(steps.length)}</div>}
        <span className={styles.dot} aria-hidden />
        <div>
          <strong>{t.end}</strong> {end}
        </div>
      </li>
    </ol>
  )
}

const hasCondition = ({ if: condition }: Fields) => condition !== undefined && condition !== null && condition !== ''

interface StepProps extends Pick<GraphProps, 'aside' | 'body' | 'open' | 'onOpen'> {
  position: number
  fields: readonly Fields[]
  jump: number | undefined
}

function Step({ position, fields: all, jump, aside, body, open, onOpen }: StepProps) {
  const t = useTexts(graphTexts)
  const names = useTexts(stepTexts)
  const fields = all[position] ?? {}
  const { action } = fields
  const name = isAction(action) ? names[`action_${action}`] : typeof action === 'string' ? action : t.step(position + 1)
  const Icon = isAction(action) ? icons[action] : CubeTransparentIcon
  const detail = detailOf(fields)
  const isOpen = open === position
  const head = (
    <>
      <span className={styles.number}>
        <span className="visually-hidden">{t.step(position + 1)}: </span>
        <span aria-hidden>{position + 1}</span>
      </span>
      <Icon className={styles.icon} aria-hidden />
      <span className={styles.name}>
        <strong>{name}</strong>
        {detail !== '' && <span className={styles.detail}>{detail}</span>}
      </span>
    </>
  )
  return (
    <div className={styles.node}>
      <span className={styles.dot} aria-hidden />
      <div className={styles.card} data-open={isOpen} data-step={position}>
        <div className={styles.cardHead}>
          {onOpen ? (
            <button
              type="button"
              className={styles.opener}
              aria-expanded={isOpen}
              onClick={() => onOpen(isOpen ? undefined : position)}
            >
              {head}
            </button>
          ) : (
            <div className={styles.opener}>{head}</div>
          )}
          {aside && <div className={styles.aside}>{aside(position)}</div>}
        </div>
        {(hasCondition(fields) || jump !== undefined || typeof fields.ref === 'string') && (
          <p className={styles.terms}>
            {hasCondition(fields) && (
              <span>
                {t.onlyIf} <code>{String(fields.if)}</code>
              </span>
            )}
            {jump !== undefined && <span>{t.afterLimit(jump + 1)}</span>}
            {typeof fields.ref === 'string' && fields.ref !== '' && (
              <span title={t.ref}>
                <code>refs.{fields.ref}</code>
              </span>
            )}
          </p>
        )}
        {body?.(position)}
      </div>
    </div>
  )
}
