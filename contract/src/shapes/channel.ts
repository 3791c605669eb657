/** The channels. */
import { Type } from 'typebox'

export const channels = ['email', 'sms', 'push', 'direct_message', 'inbox', 'webhook'] as const
export type Channel = (typeof channels)[number]

export const ChannelName = Type.Enum([...channels], { title: 'Channel', description: 'A delivery channel.' })
