import type { OperationContext } from './operation-context.ts'
import type { Tx } from './tx.ts'

/** Endpoints that callers use with key shares instead of a token, and that can be switched off. */
export type SwitchableEndpoint = 'rekey' | 'generateRoot'

/** Who may call the operation, and in which namespaces and states. */
export interface AdmissionRules {
  /** The operation requires the capability `sudo`, in addition to the capability for the verb. */
  readonly sudo?: true
  /** The operation requires no token. An invalid token in the request is ignored. */
  readonly unauthenticated?: true
  /**
   * Only for operations with `unauthenticated`. If a request has a token, the token must be valid, and the operation runs with it. `if
   * valid`: a caller with an invalid token counts as anonymous.
   */
  readonly readsToken?: true | 'if valid'
  /** The operation is refused in all namespaces except the root namespace. */
  readonly rootOnly?: true
  /**
   * The operation answers in every state and without a token, even while the kernel is sealed or not initialized. It must not read or write
   * records. `unless open`: while the kernel is unsealed, however, the operation requires a token like any other operation.
   */
  readonly inAnyState?: true | 'unless open'
  /** `createKernel({ unauthenticated })` can switch the operation off. The path of the operation then does not exist. */
  readonly switched?: SwitchableEndpoint
  /** DR secondaries answer this operation, too. */
  readonly onDrSecondary?: true
  /** The operation also answers, without a token, while the cluster is joining as a secondary and has no records yet. */
  readonly whileJoining?: true
  /**
   * A performance secondary may forward the operation to its primary. Such an operation writes replicated records of the mount and
   * namespace in which it is called, and does not touch tokens, leases, key shares or the cluster. A primary refuses all other operations
   * from a secondary.
   */
  readonly forwardable?: true
  /** Whether the operation is switched off in this kernel. */
  readonly disabled?: true
  /**
   * Whether the path is reserved for this operation. Operations whose path pattern has a variable segment then do not match the path, even
   * if the request has another verb.
   */
  readonly exclusive?: true
  /** Whether a LIST of this path is refused with status 405 (unsupported verb) instead of 404 (unsupported path). */
  readonly neverListed?: true
  /**
   * The namespace in which the operation runs, if it is not the namespace of the request. `caller`: the namespace of the caller's token.
   * `named`: the namespace of the token in the parameter `token`. `lease`: the namespace of the lease in `lease_id`. `wrapping`: the
   * namespace of the caller's token if it is a wrapping token.
   */
  readonly runsInNamespaceOf?: 'caller' | 'named' | 'lease' | 'wrapping'
  /** Authorizes the caller by the request's parameters, before the parameters are validated. */
  readonly authorizes?: (asked: OperationContext, sent: Readonly<Record<string, unknown>>) => Promise<unknown>
  /** Refuses invalid parameters before the caller is authorized. Use it only for errors that reveal nothing about the store. */
  readonly validatesFirst?: (tx: Tx, input: Readonly<Record<string, string | undefined>>) => void
  /**
   * Whether the record to write exists. If it exists, the policy must allow `update`, otherwise `create`. Without this function, the policy
   * must always allow `update`. The function runs before the caller is authorized, and again inside the transaction.
   */
  readonly exists?: (tx: Tx, captures: Readonly<Record<string, string>>) => boolean
  /**
   * Other paths to the same record below the same mount, which earlier releases of Vault used. They contain the same variable segments. A
   * policy that denies one of the paths denies the operation. A path that ends in a slash is the path of a list.
   */
  readonly aliasPaths?: readonly string[]
  /** Aliases of one segment of the path. */
  readonly segmentAliases?: SegmentAliases
}

/**
 * Aliases of a path segment. A request may use an alias; the canonical name replaces it before the path is authorized and recorded.
 * Policies may use either name.
 */
export interface SegmentAliases {
  /** The part of the path before the segment, relative to the mount, with a slash at the end and none at the start. */
  readonly after: string
  /** Maps each alias to the canonical name. */
  readonly aliases: Readonly<Record<string, string>>
}
