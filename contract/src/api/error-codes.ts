/** Every error code of the API: its status, its type, what it means and what to do. `docs/errors.md` is made from it. */

export const errorTypes = [
  'invalid_request_error',
  'authentication_error',
  'authorization_error',
  'rate_limit_error',
  'api_error',
] as const

export type ErrorType = (typeof errorTypes)[number]

interface ErrorEntry {
  /** The HTTP status of every reply with the code. */
  status: number
  type: ErrorType
  /** One sentence. */
  meaning: string
  /** One sentence. */
  action: string
}

/** In the order of their statuses. A code is never renamed or given another status: programs depend on both. */
export const errorCodes = {
  invalid_request: {
    status: 400,
    type: 'invalid_request_error',
    meaning: 'The request cannot be carried out as it is, and no single field is the reason.',
    action: 'Read `message`, which says what to change.',
  },
  malformed_request: {
    status: 400,
    type: 'invalid_request_error',
    meaning:
      'The request cannot be read: most often invalid JSON, UTF-8 or percent-encoding, or JSON that is nested too deeply.',
    action: 'Correct it; `message` names the position where it is known.',
  },
  missing_field: {
    status: 400,
    type: 'invalid_request_error',
    meaning: 'A required field, parameter or body is missing.',
    action: 'Send what `message` names.',
  },
  unknown_field: {
    status: 400,
    type: 'invalid_request_error',
    meaning: 'A field or query parameter does not exist; most are misspelled.',
    action: 'Correct or remove the name in `param`; `message` suggests a similar one where there is one.',
  },
  invalid_field: {
    status: 400,
    type: 'invalid_request_error',
    meaning: 'A field, parameter or header has a value that is not accepted, or a strict call has warnings.',
    action: 'Change the values that `message` names.',
  },
  invalid_content: {
    status: 400,
    type: 'invalid_request_error',
    meaning: 'The content of a notification, a brand or a send cannot be compiled or published.',
    action: 'Correct what `message` names.',
  },
  invalid_cursor: {
    status: 400,
    type: 'invalid_request_error',
    meaning: 'The cursor does not come from a page of this list.',
    action: 'Start again without `cursor`.',
  },
  invalid_idempotency_key: {
    status: 400,
    type: 'invalid_request_error',
    meaning: 'The header `Idempotency-Key` is too long or has characters that are not printable ASCII.',
    action: 'Send a UUID or another short key of printable characters.',
  },
  unknown_template: {
    status: 400,
    type: 'invalid_request_error',
    meaning: 'A simulation names an automation template that does not exist.',
    action: 'Correct the name, or create the template in this environment first.',
  },
  unknown_provider: {
    status: 400,
    type: 'invalid_request_error',
    meaning: 'The request names a provider that this version does not have.',
    action: 'Choose a key of `GET /providers/catalog`.',
  },
  unknown_tenant: {
    status: 400,
    type: 'invalid_request_error',
    meaning: 'The request names a tenant that does not exist.',
    action: 'Create the tenant first, or correct the id.',
  },
  secrets_required: {
    status: 400,
    type: 'invalid_request_error',
    meaning: 'The change moves the integration to another address, and stored secrets never go to a new address.',
    action: 'Send the secrets that `message` names again, together with the change.',
  },
  strict_send_refused: {
    status: 400,
    type: 'invalid_request_error',
    meaning: 'A strict send has warnings, or problems that would appear only when it is delivered.',
    action: 'Correct what `message` lists, or do not send strictly.',
  },
  topic_choice_refused: {
    status: 400,
    type: 'invalid_request_error',
    meaning: 'A topic does not allow the choice: it is required, does not exist, or lacks the digest schedule.',
    action: 'Offer only choices that the topic allows.',
  },
  job_already_run: {
    status: 400,
    type: 'invalid_request_error',
    meaning: 'The bulk job was started before; no users can be added and it cannot be started again.',
    action: 'Create another job.',
  },
  job_canceled: {
    status: 400,
    type: 'invalid_request_error',
    meaning: 'The bulk job was canceled; no users can be added and it cannot be started.',
    action: 'Create another job.',
  },
  audience_limit_reached: {
    status: 400,
    type: 'invalid_request_error',
    meaning: 'The workspace has as many audiences as it can have.',
    action: 'Delete an audience that is not used any more.',
  },
  unauthorized: {
    status: 401,
    type: 'authentication_error',
    meaning: 'The API key or token is missing, malformed, unknown or revoked, or the token has expired.',
    action: 'Send `Authorization: Bearer <key>` with a key of this installation.',
  },
  key_expired: {
    status: 401,
    type: 'authentication_error',
    meaning: 'The API key, or the key that issued the token, has expired.',
    action:
      'Use another key. If you have none of role `full`, make one on the machine of the server: unset `POSTRIDER_API_KEY`, and run `postrider keys create`.',
  },
  sign_in_link_unusable: {
    status: 401,
    type: 'authentication_error',
    meaning:
      'The sign-in link was used before, is older than ten minutes, belongs to a key that was revoked or has expired, or does not come from this server.',
    action: 'Make another link with `postrider open`, or sign in with an API key.',
  },
  session_expired: {
    status: 401,
    type: 'authentication_error',
    meaning:
      'The session of the cookie has ended, for example after 12 hours without a call or after 30 days, or another key was used to sign in with the same browser.',
    action: 'Sign in again with an API key or a sign-in link.',
  },
  cross_site_refused: {
    status: 403,
    type: 'authorization_error',
    meaning:
      'A call with the cookie of a session lacks the header `X-Postrider-Session: 1`, or a page of another origin made the call or the sign-in.',
    action: 'Call from a page of the server itself with that header, or with an API key in `Authorization`.',
  },
  role_required: {
    status: 403,
    type: 'authorization_error',
    meaning: 'The role of the key does not permit the call.',
    action: 'Call with a key of the role that `message` names.',
  },
  session_required: {
    status: 403,
    type: 'authorization_error',
    meaning: 'The call switches or ends a session, and was made with an API key.',
    action: 'Sign in with `POST /session`.',
  },
  api_key_required: {
    status: 403,
    type: 'authorization_error',
    meaning: 'The call makes a sign-in link, and was made with the session of a browser instead of an API key.',
    action: 'Call with an API key, or run `postrider open` on the machine of the server.',
  },
  https_required: {
    status: 403,
    type: 'authorization_error',
    meaning:
      'The public address of this server begins with `https:`, and the page that signs in was loaded over plain HTTP, where the cookie of its session is not sent.',
    action: 'Open the dashboard at the address that `message` names.',
  },
  insufficient_scope: {
    status: 403,
    type: 'authorization_error',
    meaning:
      'The token does not permit the call: it lacks the scope, is for another user, or the call takes no tokens.',
    action: 'Issue a token with the scope that the reference names, or call with an API key.',
  },
  published_key_required: {
    status: 403,
    type: 'authorization_error',
    meaning:
      'Only a published key can make this call, or the call is about something that a key of another kind has sent, such as a message.',
    action: 'Call with a published key (`pk_…`).',
  },
  production_key_required: {
    status: 403,
    type: 'authorization_error',
    meaning: 'The call concerns the whole installation and needs a published key of production.',
    action: 'Call with a published key of production (`pk_prod_…`).',
  },
  key_environment: {
    status: 403,
    type: 'authorization_error',
    meaning:
      'A key of the test environment cannot create keys of production. A session can be switched only if its key is a published key of production, and it issues no tokens while it is switched.',
    action: 'Call with a key of the other environment.',
  },
  invalid_signature: {
    status: 403,
    type: 'authorization_error',
    meaning: 'A callback of a provider has no valid signature, or cannot be read.',
    action: 'Enter the signing secret of the provider in the settings of its integration.',
  },
  not_found: {
    status: 404,
    type: 'invalid_request_error',
    meaning: 'The call names something that does not exist in the environment of the key, mostly in its path.',
    action: 'Check the id, and that the key belongs to the same environment.',
  },
  unknown_path: {
    status: 404,
    type: 'invalid_request_error',
    meaning: 'The API has no such path.',
    action: 'Check the path against the reference at `/docs`.',
  },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    meaning: 'The path exists, with other methods.',
    action: 'Use a method of the header `Allow`.',
  },
  request_timeout: {
    status: 408,
    type: 'invalid_request_error',
    meaning: 'The request did not arrive within the time limit.',
    action: 'Send it again, over a faster connection or with a smaller body.',
  },
  conflict: {
    status: 409,
    type: 'invalid_request_error',
    meaning:
      'The state of a resource does not permit the call, for example because an integration is switched off, a replay is in progress or deliveries are paused.',
    action: 'Read `message`; the same call fails until that has changed.',
  },
  already_exists: {
    status: 409,
    type: 'invalid_request_error',
    meaning:
      'The id, alias or `messageId` belongs to something that exists. A call with `If-None-Match: *` never replaces it.',
    action: 'Choose another one, or update what exists.',
  },
  in_use: {
    status: 409,
    type: 'invalid_request_error',
    meaning:
      'Others depend on the resource, or it is the default brand, or the last published key of role `full` in its environment. It cannot be deleted, archived or revoked, and the last key cannot expire.',
    action: 'Do first what `message` says. Before you delete the default brand, make another one the default.',
  },
  limit_reached: {
    status: 409,
    type: 'invalid_request_error',
    meaning: 'There are as many resources of this kind as there can be.',
    action: 'Delete, archive or revoke one that is not used any more.',
  },
  too_late_to_cancel: {
    status: 409,
    type: 'invalid_request_error',
    meaning: 'The message, request, run, replay or bulk job has ended, or a provider has the message.',
    action: 'There is nothing left to do: `GET` shows its status.',
  },
  count_changed: {
    status: 409,
    type: 'invalid_request_error',
    meaning:
      'The messages have changed since the dry run, and nothing was done. A replay takes exactly as many messages as `confirm`, and with `set` only the same ones. A cancellation takes at most as many as `confirm`.',
    action:
      'Repeat the dry run, and read its plan again. Send its count as `confirm`; for a replay, send its `set`, too.',
  },
  environment_switched: {
    status: 409,
    type: 'invalid_request_error',
    meaning: 'The header `X-Postrider-Session` names another environment than the one in which the session acts now.',
    action: 'Load the page again, and repeat the call only if it is right in the environment of `GET /session`.',
  },
  changed_since: {
    status: 409,
    type: 'invalid_request_error',
    meaning:
      'The resource has been changed or deleted since the version that `If-Match` names, and nothing was written.',
    action: 'Read the resource, merge both changes, and send the call with its new entity tag.',
  },
  concurrent_change: {
    status: 409,
    type: 'invalid_request_error',
    meaning: 'Other calls changed the resource at the same time, and nothing was written.',
    action: 'Send the call again after the seconds in `Retry-After`.',
  },
  idempotency_key_in_use: {
    status: 409,
    type: 'invalid_request_error',
    meaning: 'A call with the same `Idempotency-Key` is in progress.',
    action: 'Send the call again after the seconds in `Retry-After`, with the same key.',
  },
  idempotency_key_reused: {
    status: 409,
    type: 'invalid_request_error',
    meaning:
      'The call has the `Idempotency-Key` of an earlier one with another body. Nothing was done for it, and nothing of the first call has changed.',
    action: 'Send it again with a key of its own: one key for each order, each person, each call.',
  },
  idempotency_key_unreadable: {
    status: 409,
    type: 'invalid_request_error',
    meaning: 'The `Idempotency-Key` was used, and its reply is encrypted with a secret key that is lost.',
    action: 'Find out whether the first call succeeded, and use a new key for a new call.',
  },
  payload_too_large: {
    status: 413,
    type: 'invalid_request_error',
    meaning: 'The body is larger than the call takes: 6 MB, and less without a key. `message` names the limit.',
    action: 'Send less: link to large files, and divide lists into several calls.',
  },
  resource_too_large: {
    status: 413,
    type: 'invalid_request_error',
    meaning: 'The resource would become larger than its limit, which `message` names.',
    action: 'Remove what is not needed, or keep it elsewhere and store a reference.',
  },
  path_too_long: {
    status: 414,
    type: 'invalid_request_error',
    meaning: 'A name in the path is too long.',
    action: 'Check what is put into the path.',
  },
  unsupported_encoding: {
    status: 415,
    type: 'invalid_request_error',
    meaning: 'The body is compressed, or `Content-Type` is not a media type.',
    action: 'Send JSON, without `Content-Encoding`.',
  },
  rate_limited: {
    status: 429,
    type: 'rate_limit_error',
    meaning:
      'More calls were made than a limit permits. Operations in `POSTRIDER_RATE_LIMITS` have limits, and so have tests of integrations, failed sign-ins from one address, and the calls and changes that one link in a message can make.',
    action: 'Wait for the seconds in `Retry-After`.',
  },
  headers_too_large: {
    status: 431,
    type: 'invalid_request_error',
    meaning: 'The request has more than 100 headers, or its headers and address together are larger than 16 kB.',
    action: 'Send fewer headers, or put long parameters into several calls; large cookies are a common reason.',
  },
  internal_error: {
    status: 500,
    type: 'api_error',
    meaning: 'The server failed.',
    action: 'Search the log of the server for the id in `x-request-id`.',
  },
  service_unavailable: {
    status: 503,
    type: 'api_error',
    meaning: 'The server is starting or stopping, or its database does not answer or takes no writes.',
    action: 'Send the call again after the seconds in `Retry-After`.',
  },
  overloaded: {
    status: 503,
    type: 'api_error',
    meaning: 'Too many calls of this kind are in progress, or too many bytes of bodies.',
    action: 'Send the call again after the seconds in `Retry-After`, and fewer at once.',
  },
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof errorCodes

/** The codes with one of these statuses. */
export type CodeOf<Status extends number> = {
  [Code in ErrorCode]: (typeof errorCodes)[Code]['status'] extends Status ? Code : never
}[ErrorCode]

/** Path of the entry of a code in the documents that a server shows. */
export const errorDocPath = (code: ErrorCode): string => `/docs/errors#${code}`
