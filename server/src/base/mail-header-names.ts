/** The headers of a mail that nobody may set by name: its fields make them, servers on the way, or they say who gets it. */
const RESERVED =
  /^(?:bcc|from|to|cc|reply-to|sender|subject|date|message-id|mime-version|content-.*|resent-.*|return-path|received.*|delivered-to|dkim-signature|domainkey-signature|arc-.*|authentication-results)$/i

export const isReservedMailHeader = (name: string): boolean => RESERVED.test(name)
