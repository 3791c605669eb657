/** Mail headers that cannot be set by name: fields of the mail or servers on the way write them, or they name recipients. */
const RESERVED =
  /^(?:bcc|from|to|cc|reply-to|sender|subject|date|message-id|mime-version|content-.*|resent-.*|return-path|received.*|delivered-to|dkim-signature|domainkey-signature|arc-.*|authentication-results)$/i

export const isReservedMailHeader = (name: string): boolean => RESERVED.test(name)
