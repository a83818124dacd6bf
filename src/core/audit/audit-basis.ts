/**
 * What is known of a request for its audit entries.
 */
import type { Caller } from '../contract/caller.ts'
import type { NamespaceRecord } from '../contract/namespace.ts'
import type { Values } from '../field/parse.ts'
import type { Mount } from '../mount/mount.ts'

export interface RecordedHeader {
  readonly values: readonly string[]
  /** Written hashed, not in the clear. */
  readonly hmac: boolean
}

/** What a request says of itself. */
export interface AuditedRequest {
  /** The request id of the answer. */
  readonly id: string
  /** The verb as operations declare it. */
  readonly verb: string
  /** The token that was sent, valid or not. */
  readonly token: string | undefined
  readonly data: Values
  /** The headers to be written, by their names in lower case. */
  readonly headers: ReadonlyMap<string, RecordedHeader>
  readonly remoteAddress: string | undefined
  /** Seconds; 0 means no wrapping. */
  readonly wrapTtl: number
  /** The name of the secondary that sent the request, if one did. */
  readonly secondary?: string | undefined
}

/** The mount and namespace it leads to. */
export interface AuditedPath {
  readonly namespace: NamespaceRecord
  /** Relative to the namespace; the path of a list ends in a slash. */
  readonly path: string
  readonly mount: Mount | undefined
}

/** The destination as routing reports it. */
export interface AuditDestination {
  readonly namespace: NamespaceRecord
  /** Without a slash at its end. */
  readonly path: string
  readonly trailingSlash: boolean
  readonly mount: Mount | undefined
}

/** The judgement by policies. */
export interface PolicyResults {
  readonly allowed: boolean
  /** Names of the policies that allow the request. */
  readonly granting: readonly string[]
}

/** The basis of both entries of a request. */
export interface AuditBasis {
  readonly request: AuditedRequest
  readonly at: AuditedPath
  readonly caller: Caller
  readonly operation: string
  readonly policyResults: PolicyResults | undefined
}
