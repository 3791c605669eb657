/** Which failed messages of a provider failed at one of its integrations, with the words of that delivery. */
import type { Message } from '@postrider/client'

type Listed = Pick<Message, 'providers' | 'error'>

export interface FailedAt<Row extends Listed> {
  message: Row
  error: string | undefined
}

/** The last of several deliveries at the integration counts: devices have one each. */
export const failedAt = <Row extends Listed>(messages: readonly Row[], id: string): FailedAt<Row>[] =>
  messages.flatMap((message) => {
    const delivery = message.providers?.findLast(({ integration }) => integration === id)
    return delivery ? [{ message, error: delivery.error ?? message.error }] : []
  })
