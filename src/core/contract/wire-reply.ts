/** The parts of a path call's answer, if there is more than `data`. The `wire` function of an operation returns them. */
import type { Values } from '../field/parse.ts'

export interface WireReply {
  /** Default 200. */
  readonly status?: number
  readonly data?: Values | undefined
  /** The created or renewed token. */
  readonly auth?: Values
  readonly lease_id?: string
  /** Whether the lease is renewable. */
  readonly renewable?: boolean
  /** The lease's duration in seconds. */
  readonly lease_duration?: number
  /** A wrapping token instead of the answer. */
  readonly wrap_info?: object
  /** A complete envelope that was stored earlier. */
  readonly whole?: Values
  /** Also puts the members of `data` at the top level, as some old Vault endpoints do. */
  readonly repeated?: true
  /** The whole body, without an envelope. */
  readonly bare?: Values
  /** Sends only the status. */
  readonly empty?: true
}
