import type { OperationContext } from './operation-context.ts'
import type { Tx } from './tx.ts'

/** Endpoints that key shares authorize instead of a token. */
export type SwitchableEndpoint = 'rekey' | 'generateRoot'

/** Who may call the operation, and in which namespaces and states. */
export interface AdmissionRules {
  /** Requires the capability `sudo` in addition to the capability for the verb. */
  readonly sudo?: true
  /** Needs no token. An invalid token is ignored. */
  readonly unauthenticated?: true
  /**
   * Only with `unauthenticated`. If a token is sent, it must be valid, and the operation uses it. `if valid`: a caller with an invalid
   * token counts as anonymous.
   */
  readonly readsToken?: true | 'if valid'
  /** Refused in all namespaces except the root namespace. */
  readonly rootOnly?: true
  /**
   * Answers in every state and without a token, even while the kernel is sealed or not initialized. It may not read or write records.
   * `unless open`: while the kernel is open, it requires a token like any other operation.
   */
  readonly inAnyState?: true | 'unless open'
  /** `createKernel({ unauthenticated })` can switch the operation off; its path then does not exist. */
  readonly switched?: SwitchableEndpoint
  /** DR secondaries answer it too. */
  readonly onDrSecondary?: true
  /** Also answers, without a token, while the cluster is joining as a secondary and has no records yet. */
  readonly whileJoining?: true
  /**
   * A performance secondary may forward the operation to its primary. Such an operation writes replicated records of the mount and
   * namespace in which it is called, and does not touch tokens, leases, key shares or the cluster. A primary refuses all other operations
   * from a secondary.
   */
  readonly forwardable?: true
  /** Whether the operation is switched off in this kernel. */
  readonly disabled?: true
  /** Whether the path is reserved for this operation: patterns with captures do not match it, not even for other verbs. */
  readonly exclusive?: true
  /** Whether a LIST of this path is an unsupported verb (405) instead of an unsupported path (404). */
  readonly neverListed?: true
  /**
   * The namespace in which the operation runs, if it is not the one of the request. `caller`: that of the caller's token. `named`: that of
   * the token in the parameter `token`. `lease`: that of `lease_id`. `wrapping`: that of the caller's token if it is a wrapping token.
   */
  readonly runsInNamespaceOf?: 'caller' | 'named' | 'lease' | 'wrapping'
  /** Authorizes the caller from the request's parameters, before they are validated. */
  readonly authorizes?: (asked: OperationContext, sent: Readonly<Record<string, unknown>>) => Promise<unknown>
  /** Refuses invalid parameters before the caller is authorized. Only for errors that reveal nothing. */
  readonly validatesFirst?: (tx: Tx, input: Readonly<Record<string, string | undefined>>) => void
  /**
   * Whether the record to write exists: then the policy decides about `update`, otherwise about `create`. Without this function, it always
   * decides about `update`. Runs before the caller is authorized, and again inside the transaction.
   */
  readonly exists?: (tx: Tx, captures: Readonly<Record<string, string>>) => boolean
  /**
   * Other paths of the same record below the same mount, with the same captures: paths that earlier releases of Vault used. A policy that
   * denies one of the paths denies the operation. A path that ends in a slash is the path of a list.
   */
  readonly aliasPaths?: readonly string[]
  /** Aliases of one segment of the path. */
  readonly segmentAliases?: SegmentAliases
}

/**
 * Aliases of a segment. Requests may use an alias. It is replaced by the canonical name before the path is authorized and recorded.
 * Policies may use either name.
 */
export interface SegmentAliases {
  /** The path before the segment, below the mount, with a slash at the end and none at the start. */
  readonly after: string
  /** The canonical name for each alias. */
  readonly aliases: Readonly<Record<string, string>>
}
