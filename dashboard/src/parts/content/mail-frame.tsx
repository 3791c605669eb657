/**
 * Rendered mail at phone or desktop width, light and dark. The frame has an origin and a policy of its own: the mail
 * keeps its styles, runs no script, and loads pictures of other servers only when the reader allows it.
 */
import { SegmentedControl, Switch } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
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

const HEIGHT_MIN = 320
const HEIGHT_MAX = 4_000
const widths = { desktop: 700, phone: 390 } as const

interface MailFrameProps {
  html: string
  title?: string
  /** Otherwise a glance at it: as narrow as its place, and without controls. */
  isWhole?: boolean
}

export function MailFrame({ html, title, isWhole = true }: MailFrameProps) {
  const t = useTexts(frameTexts)
  const [width, setWidth] = useState<keyof typeof widths>('desktop')
  const [scheme, setScheme] = useState<'light' | 'dark'>('light')
  const [hasImages, setHasImages] = useState(false)
  const frame = useRef<HTMLIFrameElement>(null)
  const [height, setHeight] = useState(isWhole ? HEIGHT_MIN : 0)
  useEffect(() => {
    const post = () => frame.current?.contentWindow?.postMessage({ html }, '*')
    const onMessage = ({ source, data }: MessageEvent<{ ready?: boolean; height?: number }>) => {
      if (source !== frame.current?.contentWindow) return
      if (data.ready) post()
      if (typeof data.height === 'number')
        setHeight(Math.max(isWhole ? HEIGHT_MIN : 0, Math.min(HEIGHT_MAX, data.height)))
    }
    addEventListener('message', onMessage)
    post()
    return () => removeEventListener('message', onMessage)
  }, [html, isWhole])
  return (
    <div className={styles.mail}>
      <div className={styles.controls} hidden={!isWhole}>
        <SegmentedControl
          className={styles.width ?? ''}
          size="xs"
          aria-label={t.width}
          value={width}
          onChange={(value) => setWidth(value as keyof typeof widths)}
          data={[
            { value: 'desktop', label: t.desktop },
            { value: 'phone', label: t.phone },
          ]}
        />
        <SegmentedControl
          size="xs"
          aria-label={t.scheme}
          value={scheme}
          onChange={(value) => setScheme(value as 'light' | 'dark')}
          data={[
            { value: 'light', label: t.light },
            { value: 'dark', label: t.dark },
          ]}
        />
        <Switch size="xs" label={t.images} checked={hasImages} onChange={() => setHasImages(!hasImages)} />
      </div>
      <div className={isWhole ? styles.stage : undefined} data-scheme={scheme}>
        <iframe
          key={`${scheme} ${hasImages}`}
          ref={frame}
          className={styles.frame}
          // Its script shows the mail; without allow-same-origin it reaches nothing of this page.
          sandbox="allow-scripts"
          referrerPolicy="no-referrer"
          title={title ?? t.mail}
          src={`/app/mail-frame.html${hasImages ? '?images=1' : ''}`}
          style={{ width: isWhole ? widths[width] : '100%', height, colorScheme: scheme }}
        />
      </div>
    </div>
  )
}
