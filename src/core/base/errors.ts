/**
 * The errors with which the kernel refuses calls.
 */

/**
 * Stable error codes with their usual HTTP status. For the same kind of error, Vault answers 400 or 404, depending on the path. So an error
 * can have a status other than the usual status of its code; `handle()` answers with the error's status.
 */
const STATUS = {
  ERR_INVALID_REQUEST: 400,
  /**
   * The current state does not permit the call: a check-and-set parameter does not match (`details.current_version`), or an operation of
   * the same kind is in progress.
   */
  ERR_CONFLICT: 400,
  /** The name or path is already in use. */
  ERR_ALREADY_EXISTS: 400,
  /** Other records depend on the record, or another kernel has the store open. */
  ERR_IN_USE: 400,
  /** The mount has no configuration yet, or `createKernel` was not given the port that the call needs. */
  ERR_NOT_CONFIGURED: 400,
  ERR_DECRYPTION_FAILED: 400,
  /** Replicated data can be written only on the primary, and this cluster is a secondary. */
  ERR_READ_ONLY: 400,
  /** The cluster is a DR secondary, which answers almost no requests until it is promoted. */
  ERR_DR_SECONDARY: 400,
  /** The operation applies to the caller's token, but the caller has none. */
  ERR_UNAUTHENTICATED: 401,
  ERR_PERMISSION_DENIED: 403,
  /** The record that the call names does not exist. The status is 400 on paths where Vault answers 400. */
  ERR_NOT_FOUND: 404,
  ERR_UNSUPPORTED_PATH: 404,
  ERR_UNSUPPORTED_OPERATION: 405,
  ERR_PRECONDITION: 412,
  ERR_REQUEST_TOO_LARGE: 413,
  ERR_UNSUPPORTED_MEDIA_TYPE: 415,
  ERR_TOO_MANY_REQUESTS: 429,
  ERR_INTERNAL: 500,
  /** The audit log did not accept an entry. `details.committed` is true if the request took effect. */
  ERR_AUDIT: 500,
  ERR_UPSTREAM: 502,
  ERR_NOT_INITIALIZED: 503,
  ERR_SEALED: 503,
  ERR_UNAVAILABLE: 503,
  /** A synchronous call needs data that is not loaded or may be stale. The kernel is loading the data; call again later. */
  ERR_NOT_READY: 503,
  /**
   * The write is stored on this cluster, but not on as many clusters as `replication.ack` requires, so a failover may lose it.
   * `details.committed` is true.
   */
  ERR_NOT_ACKNOWLEDGED: 503,
} as const

export type ErrorCode = keyof typeof STATUS

export interface ErrorDetails {
  /** Names, limits and versions that explain the error; never a parameter's value and never bytes. */
  readonly details?: Readonly<Record<string, string | number | boolean>>
  /** The error that a port threw. Never part of an HTTP answer. */
  readonly cause?: unknown
  readonly shown?: ErrorAnswer
  /** Default: the usual status of the code. */
  readonly status?: number
}

/**
 * The content of the error response to a call by path, if clients expect `data` and `warnings` in it instead of an error message. The
 * response's list `errors` is then empty.
 */
export interface ErrorAnswer {
  readonly data: Readonly<Record<string, unknown>> | undefined
  readonly warnings?: readonly string[]
}

/**
 * Thrown for everything that the kernel refuses deliberately. `code` and `status` are stable within a major version; `message`, which names
 * the parameter and the rule, is not stable. Misuse that a type checker would detect throws a `TypeError` instead.
 */
export class KernelError extends Error {
  /** Identifies a `KernelError` even if its class is from another copy of the package, in which case `instanceof` returns false. */
  override readonly name = 'KernelError'
  /** The kind of error, for programs; stable within a major version. */
  readonly code: ErrorCode
  /** The HTTP status of this error in a call by path. */
  readonly status: number
  /** Names, limits and versions that explain the error; never a parameter's value. Empty if there are none. */
  readonly details: Readonly<Record<string, string | number | boolean>>
  /** @internal */
  declare readonly shown?: ErrorAnswer

  /**
   * With `ERR_AUDIT` and `ERR_NOT_ACKNOWLEDGED`: whether the operation took effect although its result is not returned. Undefined for all
   * other codes.
   */
  get committed(): boolean | undefined {
    return this.details['committed'] as boolean | undefined
  }

  constructor(code: ErrorCode, message: string, options: ErrorDetails = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.status = options.status ?? STATUS[code]
    this.details = options.details ?? {}
    if (options.shown) Object.defineProperty(this, 'shown', { value: options.shown })
  }
}

/** The error for a mistake of the caller: a missing, malformed or contradictory parameter. Status 400. */
export const invalid = (message: string, details?: ErrorDetails['details']): KernelError =>
  new KernelError('ERR_INVALID_REQUEST', message, details ? { details } : {})

/**
 * The record that the call names does not exist.
 *
 * @param status 400 on paths where Vault answers 400 for an unknown name.
 */
export const notFound = (message: string, status: 400 | 404 = 404): KernelError =>
  new KernelError('ERR_NOT_FOUND', message, { status })

/** The name or path is already in use. Status 400. */
export const alreadyExists = (message: string): KernelError => new KernelError('ERR_ALREADY_EXISTS', message)

/** Other records depend on the record. Status 400. */
export const inUse = (message: string): KernelError => new KernelError('ERR_IN_USE', message)

/**
 * The current state does not permit the call. Status 400.
 *
 * @param current The current version of the record, if the call specified a different version; 0 if there is no record.
 */
export const conflict = (message: string, current?: number): KernelError =>
  new KernelError('ERR_CONFLICT', message, current === undefined ? {} : { details: { current_version: current } })

/** A configuration or a port is missing. Status 400. */
export const notConfigured = (message: string): KernelError => new KernelError('ERR_NOT_CONFIGURED', message)

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(STATUS, code)
