/** A recipient in a preview, which has no addresses: one without a user has an id of its message only. */
export const recipientText = (recipient: string): string =>
  recipient.startsWith('anon_') ? 'without a user' : recipient
