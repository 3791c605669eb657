/** The mail by which the adapters of mail are compared with official SDKs: a plain one, and the options of one with everything. */

/** Without the settings of an adapter. */
export const plainMail = {
  profile: { email: 'ada@example.com' },
  content: { subject: 'Grüße 👋', html: '<p>Hi</p>', text: 'Hi' },
  message: { id: 'message-1', deliveryId: 'delivery-1' },
}

export const sender = { fromAddress: 'news@example.org', fromName: 'News' }

/** `override.channel.email` of the mail with everything. */
export const everyOption = {
  from: 'Bea <bea@example.org>',
  replyTo: 'Help <help@example.org>',
  cc: ['c@example.com', '"Doe, Dan" <d@example.com>'],
  bcc: 'b@example.com',
  headers: { 'X-Team': 'blue' },
  attachments: [
    { filename: 'a.txt', contentType: 'text/plain', data: 'aGk=' },
    { filename: 'logo.png', contentType: 'image/png', data: 'aGk=', contentId: 'logo' },
  ],
}
