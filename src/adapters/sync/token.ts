/** Validates access tokens, which are sent in a header. */
import type { SyncConfig, SyncFieldError } from '../../sys/sync/port.ts'

export const accessTokenErrors = ({ access_token }: SyncConfig): readonly SyncFieldError[] =>
  typeof access_token === 'string' && /^[\x21-\x7e]{1,4096}$/.test(access_token)
    ? []
    : [{ field: 'access_token', rule: 'must be a token of 1 to 4096 printable ASCII characters without spaces' }]
