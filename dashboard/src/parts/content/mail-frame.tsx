/**
 * Rendered mail at phone or desktop width, light and dark. The frame has an origin and a policy of its own: the mail
 * keeps its styles, runs no script, and loads pictures of other servers only when the reader allows it.
 */

import { SegmentedControl, Switch } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { home } from '../../address.ts'
import { texts, useTexts } from '../../language/language.tsx'
import styles from './mail-frame.module.css'

const frameTexts = texts({
  en: {
    desktop: 'Desktop',
    phone: 'Phone',
    light: 'Light',
    dark: 'Dark',
    width: 'Width',
    scheme: 'Colors',
    mail: 'Rendered mail',
    images: 'Remote pictures',
  },
  de: {
    desktop: 'Rechner',
    phone: 'Telefon',
    light: 'Hell',
    dark: 'Dunkel',
    width: 'Breite',
    scheme: 'Farben',
    mail: 'Dargestellte Mail',
    images: 'Fremde Bilder',
  },
})

const HEIGHT_MIN = 200
const HEIGHT_MAX = 4_000
/** Also before the mail is loaded: what is below it must not move. */
const GLANCE_HEIGHT = 260
const widths = { desktop: 700, phone: 390 } as const

/** How a mail is looked at. */
export interface MailView {
  width: keyof typeof widths
  scheme: 'light' | 'dark'
  hasImages: boolean
  change(view: Partial<Omit<MailView, 'change'>>): void
}

export function useMailView(): MailView {
  const [view, setView] = useState<Omit<MailView, 'change'>>({ width: 'desktop', scheme: 'light', hasImages: false })
  return { ...view, change: (next) => setView((before) => ({ ...before, ...next })) }
}

export function MailControls({ view: { width, scheme, hasImages, change } }: { view: MailView }) {
  const t = useTexts(frameTexts)
  return (
    <div className={styles.controls}>
      <SegmentedControl
        className={styles.width ?? ''}
        size="xs"
        aria-label={t.width}
        value={width}
        onChange={(value) => change({ width: value as MailView['width'] })}
        data={[
          { value: 'desktop', label: t.desktop },
          { value: 'phone', label: t.phone },
        ]}
      />
      <SegmentedControl
        size="xs"
        aria-label={t.scheme}
        value={scheme}
        onChange={(value) => change({ scheme: value as MailView['scheme'] })}
        data={[
          { value: 'light', label: t.light },
          { value: 'dark', label: t.dark },
        ]}
      />
      <Switch size="xs" label={t.images} checked={hasImages} onChange={() => change({ hasImages: !hasImages })} />
    </div>
  )
}

interface MailProps {
  html: string
  title?: string
}

/** The mail with its controls. */
export function MailFrame(mail: MailProps) {
  const view = useMailView()
  return (
    <div className={styles.mail}>
      <MailControls view={view} />
      <MailStage view={view} {...mail} />
    </div>
  )
}

export function MailStage({ view, html, title }: MailProps & { view: MailView }) {
  return (
    <div className={styles.stage} data-scheme={view.scheme}>
      <Frame
        {...view}
        width={widths[view.width]}
        heights={[HEIGHT_MIN, HEIGHT_MAX]}
        html={html}
        {...(title && { title })}
      />
    </div>
  )
}

/** A glance at it: as narrow as its place, and without controls. */
export const MailGlance = ({ html }: { html: string }) => (
  <Frame width="100%" heights={[GLANCE_HEIGHT, GLANCE_HEIGHT]} scheme="light" hasImages={false} html={html} />
)

interface FrameProps extends MailProps, Pick<MailView, 'scheme' | 'hasImages'> {
  width: number | string
  heights: readonly [min: number, max: number]
}

function Frame({ html, title, width, heights: [min, max], scheme, hasImages }: FrameProps) {
  const t = useTexts(frameTexts)
  const frame = useRef<HTMLIFrameElement>(null)
  const [height, setHeight] = useState(min)
  useEffect(() => {
    const post = () => frame.current?.contentWindow?.postMessage({ html }, '*')
    const onMessage = ({ source, data }: MessageEvent<{ ready?: boolean; height?: number }>) => {
      if (source !== frame.current?.contentWindow) return
      if (data.ready) post()
      if (typeof data.height === 'number') setHeight(Math.max(min, Math.min(max, data.height)))
    }
    addEventListener('message', onMessage)
    post()
    return () => removeEventListener('message', onMessage)
  }, [html, min, max])
  return (
    <iframe
      key={`${scheme} ${hasImages}`}
      ref={frame}
      className={styles.frame}
      // Its script shows the mail; without allow-same-origin it reaches nothing of this page.
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      title={title ?? t.mail}
      src={`${home}mail-frame.html${hasImages ? '?images=1' : ''}`}
      style={{ width, height, colorScheme: scheme }}
    />
  )
}
