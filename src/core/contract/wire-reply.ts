/** The parts of the response to a call by path, other than `data`. The `wire` function of an operation returns them. */
import type { Values } from '../field/parse.ts'

export interface WireReply {
  /** The status. Default: 200. */
  readonly status?: number
  readonly data?: Values | undefined
  /** The created or renewed token. */
  readonly auth?: Values
  readonly lease_id?: string
  /** Whether the lease is renewable. */
  readonly renewable?: boolean
  /** The duration of the lease in seconds. */
  readonly lease_duration?: number
  /** A wrapping token, sent in place of the result. */
  readonly wrap_info?: object
  /** A complete response that was stored earlier, when it was wrapped. */
  readonly whole?: Values
  /** Whether the members of `data` are also put at the top level, as some old endpoints of Vault do. */
  readonly repeated?: true
  /** The entire body, in place of the usual body with `data` and the other members. */
  readonly bare?: Values
  /** Whether the response has a status, but no body. */
  readonly empty?: true
}
