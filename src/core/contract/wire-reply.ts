/**
 * What an answer of the path-addressed API is made of, where it is more than `data`. Named by operations in `wire`; read by the path
 * view.
 */
import type { Values } from '../field/parse.ts'

export interface WireReply {
  /** Default 200. */
  readonly status?: number
  readonly data?: Values | undefined
  /** What a token is made or renewed with. */
  readonly auth?: Values
  readonly lease_id?: string
  /** Of the lease. */
  readonly renewable?: boolean
  /** Seconds. */
  readonly lease_duration?: number
  /** A token that opens the answer, in the place of the answer. */
  readonly wrap_info?: object
  /** An envelope that was made before. */
  readonly whole?: Values
  /** Repeats the members of `data` beside it, as some old endpoints do. */
  readonly repeated?: true
  /** The body as a whole: no envelope. */
  readonly bare?: Values
  /** Nothing but the status. */
  readonly empty?: true
}
