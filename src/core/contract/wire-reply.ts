/**
 * The parts of an answer of the path-addressed API, where there is more than `data`. Operations return them from `wire`; the path
 * view reads them.
 */
import type { Values } from '../field/parse.ts'

export interface WireReply {
  /** Default 200. */
  readonly status?: number
  readonly data?: Values | undefined
  /** The token that was made or renewed. */
  readonly auth?: Values
  readonly lease_id?: string
  /** Whether the lease is renewable. */
  readonly renewable?: boolean
  /** The duration of the lease in seconds. */
  readonly lease_duration?: number
  /** A token that opens the answer, in place of the answer. */
  readonly wrap_info?: object
  /** A complete envelope that was made earlier. */
  readonly whole?: Values
  /** Repeats the members of `data` beside it, as some old endpoints do. */
  readonly repeated?: true
  /** The whole body, without envelope. */
  readonly bare?: Values
  /** Only the status is sent. */
  readonly empty?: true
}
