/** The data that the audit entries of a request contain. */
import type { Caller } from '../contract/caller.ts'
import type { NamespaceRecord } from '../contract/namespace.ts'
import type { Values } from '../field/parse.ts'
import type { Mount } from '../mount/mount.ts'

export interface RecordedHeader {
  readonly values: readonly string[]
  /** Whether the values are hashed. */
  readonly hmac: boolean
}

/** The request as it was sent. */
export interface AuditedRequest {
  /** The `request_id` of the answer. */
  readonly id: string
  /** The verb of the request, as in operation definitions. */
  readonly verb: string
  /** The token that was sent, whether valid or not. */
  readonly token: string | undefined
  readonly data: Values
  /** The request headers that are logged, keyed by their lower-case names. */
  readonly headers: ReadonlyMap<string, RecordedHeader>
  readonly remoteAddress: string | undefined
  /** The requested wrapping TTL in seconds; 0 means no wrapping. */
  readonly wrapTtl: number
  /** The name of the secondary that forwarded the request. Undefined if it was not forwarded. */
  readonly secondary?: string | undefined
}

/** The path, mount and namespace of a request. */
export interface AuditedPath {
  readonly namespace: NamespaceRecord
  /** The path relative to the namespace. The path of a list ends in a slash. */
  readonly path: string
  readonly mount: Mount | undefined
}

/** The path, mount and namespace as routing returns them. */
export interface AuditDestination {
  readonly namespace: NamespaceRecord
  /** The path without a slash at the end. */
  readonly path: string
  readonly trailingSlash: boolean
  readonly mount: Mount | undefined
}

/** The decision of the policies. */
export interface PolicyResults {
  readonly allowed: boolean
  /** The names of the policies that allow the request. */
  readonly granting: readonly string[]
}

/** The data from which the request entry and the response entry are made. */
export interface AuditBasis {
  readonly request: AuditedRequest
  readonly at: AuditedPath
  readonly caller: Caller
  readonly operation: string
  readonly policyResults: PolicyResults | undefined
}
