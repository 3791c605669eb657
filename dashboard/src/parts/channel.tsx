/** A channel as a symbol with its name. */
import {
  BellIcon,
  ChatBubbleLeftIcon,
  DevicePhoneMobileIcon,
  EnvelopeIcon,
  InboxIcon,
  LinkIcon,
} from '@heroicons/react/20/solid'
import type { ComponentType } from 'react'
import { useTexts } from '../language/language.tsx'
import styles from './channel.module.css'
import { channelNames } from './meanings.ts'

const icons: Record<string, ComponentType<{ className?: string | undefined; 'aria-hidden'?: boolean }>> = {
  email: EnvelopeIcon,
  sms: DevicePhoneMobileIcon,
  push: BellIcon,
  direct_message: ChatBubbleLeftIcon,
  inbox: InboxIcon,
  webhook: LinkIcon,
}

/** The symbol alone, with the name for those who do not see it. */
export function ChannelMark({ channel }: { channel: string }) {
  const names: Record<string, string> = useTexts(channelNames)
  const Icon = icons[channel] ?? LinkIcon
  return (
    <span role="img" aria-label={names[channel] ?? channel}>
      <Icon className={styles.icon} aria-hidden />
    </span>
  )
}

/** `detail` follows the name: a provider, an integration. */
export function Channel({ channel, detail }: { channel: string; detail?: string | undefined }) {
  const names: Record<string, string> = useTexts(channelNames)
  const Icon = icons[channel] ?? LinkIcon
  const name = names[channel] ?? channel
  return (
    <span className={styles.channel} title={detail ? `${name} · ${detail}` : name}>
      <Icon className={styles.icon} aria-hidden />
      <span className={styles.name}>
        {name}
        {detail && <span className={styles.detail}> · {detail}</span>}
      </span>
    </span>
  )
}
