/**
 * What is known of a request on its way into the log.
 */
import type { Caller } from '../contract/caller.ts'
import type { NamespaceRecord } from '../contract/namespace.ts'
import type { Values } from '../field/parse.ts'
import type { Mount } from '../mount/mount.ts'

export interface RecordedHeader {
  readonly values: readonly string[]
  /** Not in the clear. */
  readonly hmac: boolean
}

/** What a request says about itself. */
export interface Request {
  /** The request id of the answer. */
  readonly id: string
  /** As an operation declares it. */
  readonly verb: string
  /** The token that was sent, good or not. */
  readonly token: string | undefined
  readonly data: Values
  /** By their names in lower case, those that are to be written. */
  readonly headers: ReadonlyMap<string, RecordedHeader>
  readonly remoteAddress: string | undefined
  /** Seconds; 0 is no wrapping. */
  readonly wrapTtl: number
}

/** Where it leads. */
export interface Place {
  readonly namespace: NamespaceRecord
  /** Below the namespace; that of a list ends in a slash. */
  readonly path: string
  readonly mount: Mount | undefined
}

/** As routing tells it. */
export interface Destination {
  readonly namespace: NamespaceRecord
  /** Without a slash at its end. */
  readonly path: string
  readonly trailingSlash: boolean
  readonly mount: Mount | undefined
}

/** What policies say to it. */
export interface Judgement {
  readonly allowed: boolean
  /** Names of the policies that allow it. */
  readonly granting: readonly string[]
}

/** What both entries of a request are written from. */
export interface Recorded {
  readonly request: Request
  readonly place: Place
  readonly caller: Caller
  readonly operation: string
  readonly judgement: Judgement | undefined
}
