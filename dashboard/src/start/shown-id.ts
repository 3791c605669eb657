/** A message that was sent here is shown until the newest one from elsewhere is another than before. */
export const shownId = (sent: { id: string; before: string | undefined } | undefined, newest: string | undefined) =>
  sent && newest === sent.before ? sent.id : newest
