/**
 * The errors by which the kernel refuses.
 */

/** Stable codes and the status that `handle()` answers with (spec document 1, "Errors"). */
const STATUS = {
  ERR_INVALID_REQUEST: 400,
  ERR_DECRYPTION_FAILED: 400,
  /** Replicated data is written on the primary of its set, and this cluster is a secondary. */
  ERR_READ_ONLY: 400,
  /** The cluster is a secondary for disaster recovery, which serves nearly nothing until it is promoted. */
  ERR_DR_SECONDARY: 400,
  /** There is no token where one is needed for itself. */
  ERR_UNAUTHENTICATED: 401,
  ERR_PERMISSION_DENIED: 403,
  ERR_NOT_FOUND: 404,
  ERR_UNSUPPORTED_PATH: 404,
  ERR_UNSUPPORTED_OPERATION: 405,
  ERR_PRECONDITION: 412,
  ERR_REQUEST_TOO_LARGE: 413,
  ERR_UNSUPPORTED_MEDIA_TYPE: 415,
  ERR_TOO_MANY_REQUESTS: 429,
  ERR_INTERNAL: 500,
  /** The audit log did not take an entry. `details.committed` says whether the request took effect all the same. */
  ERR_AUDIT: 500,
  ERR_UPSTREAM: 502,
  ERR_NOT_INITIALIZED: 503,
  ERR_SEALED: 503,
  ERR_UNAVAILABLE: 503,
  /** A call that cannot wait needs what is not loaded, or may be out of date. It is being loaded. */
  ERR_NOT_READY: 503,
  /** The write is stored here, and not as widely as `replication.ack` asks for: a failover may lose it. `details.committed` is true. */
  ERR_NOT_ACKNOWLEDGED: 503,
} as const

export type ErrorCode = keyof typeof STATUS

export interface ErrorDetails {
  /** Names, limits and versions that explain the refusal; never a parameter's value and never bytes. */
  readonly details?: Readonly<Record<string, string | number | boolean>>
  /** The error that a port threw. Never part of an answer. */
  readonly cause?: unknown
  readonly shown?: Shown
}

/**
 * The answer of the path-addressed API to a refusal instead of its message, where clients expect an envelope: `errors` is then
 * empty.
 */
export interface Shown {
  readonly data: Readonly<Record<string, unknown>> | undefined
  readonly warnings?: readonly string[]
}

/**
 * Thrown for everything the kernel refuses on purpose. `code` and `status` are stable within a major version, `message` is not:
 * it names the parameter and the rule. Misuse that a type checker would catch is a `TypeError` instead.
 */
export class KernelError extends Error {
  /** `KernelError`, even if the class is from another copy of the package. */
  override readonly name = 'KernelError'
  /** Identifies the kind of refusal for programs; stable within a major version. */
  readonly code: ErrorCode
  /** The HTTP status of the same refusal on the path-addressed API. */
  readonly status: number
  /** Names, limits and versions that explain the refusal; never a parameter's value. Empty where there are none. */
  readonly details: Readonly<Record<string, string | number | boolean>>
  /** @internal */
  declare readonly shown?: Shown

  /**
   * With `ERR_AUDIT` and `ERR_NOT_ACKNOWLEDGED`: whether the operation took effect, though its answer is withheld. Undefined with every
   * other code.
   */
  get committed(): boolean | undefined {
    return this.details['committed'] as boolean | undefined
  }

  constructor(code: ErrorCode, message: string, options: ErrorDetails = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.status = STATUS[code]
    this.details = options.details ?? {}
    if (options.shown) Object.defineProperty(this, 'shown', { value: options.shown })
  }
}

/** The caller's mistake: a missing, malformed or contradictory parameter. Status 400. */
export const invalid = (message: string, details?: ErrorDetails['details']): KernelError =>
  new KernelError('ERR_INVALID_REQUEST', message, details ? { details } : {})

/** The requested record does not exist. Status 404. */
export const notFound = (message: string): KernelError => new KernelError('ERR_NOT_FOUND', message)
