/** The port for audit entries. */
import type { AuditEntry } from './audit-entry.ts'

/**
 * Receives one entry at a time, in the order of the chain. The audited request continues when the call returns or its promise resolves. If
 * the entry is not safely stored, throw or reject: a request that cannot be audited is refused. Your error appears only as the `cause` of
 * the kernel's error.
 *
 * Each call may take `effectTimeoutMs` (15 seconds by default), even while the kernel closes. A call that takes longer counts as failed:
 *
 * - The call's `signal` is aborted, and the call should then reject.
 * - Until the call has ended, the kernel does not call the sink again, and all further entries fail at once.
 * - If the call rejects, entries continue to fail during one more `effectTimeoutMs`. Then the next entry is sent to the sink as a trial.
 *   Other entries fail until the trial has succeeded. If the trial fails, the pause starts again.
 * - If the call resolves late, the kernel uses the sink again at once.
 */
export interface AuditSink {
  /** @param entry Store its `line` byte for byte; {@link verifyAudit} reads it back. */
  write(entry: AuditEntry, signal?: AbortSignal): void | Promise<void>
  /**
   * If present, called instead of `write`. The entry must be stored when the call returns. Requests then need not wait for a promise, and
   * no timeout applies.
   */
  writeSync?(entry: AuditEntry): void
  /** Called before the first entry. Throw if entries cannot be written; the kernel then fails to open the store. */
  open?(signal?: AbortSignal): void | Promise<void>
  /**
   * Called for sinks that a factory created: when the sink is disabled, when the kernel is sealed or closed, and when `open` succeeded
   * after its timeout. The kernel does not wait for the result.
   */
  close?(signal?: AbortSignal): void | Promise<void>
}

/** A request to create a sink. `options` are unchanged from the request, such as `file_path`. */
export interface AuditSinkRequest {
  /** The path of the device, which ends in a slash: `file/`. */
  readonly path: string
  readonly options: Readonly<Record<string, string>>
}

/**
 * Creates the sink when an API caller enables an audit device. @throws An error to refuse the request with status 400. The caller sees the
 * message of the error only if it is a `KernelError`.
 */
export type AuditSinkFactory = (request: AuditSinkRequest) => AuditSink

/** How a sink's entries are written. The option names are Vault's. */
export interface AuditFormat {
  /** Writes values in plaintext, secrets included. For tests only. Default false. */
  readonly log_raw?: boolean
  /** Writes the accessors of tokens as HMACs. Default true. */
  readonly hmac_accessor?: boolean
  /** Replaces each list of names by its length. Default false. */
  readonly elide_list_responses?: boolean
}

/** A sink that the application provides, with its options. */
export interface AuditSinkOptions extends AuditFormat {
  readonly sink: AuditSink | ((entry: AuditEntry) => void | Promise<void>)
  /**
   * If true, a request is refused unless this sink has stored its entries. Default false: it is enough that any one of the sinks has stored
   * them, as with Vault's audit devices. With a single sink, the option makes no difference.
   */
  readonly required?: boolean
  readonly description?: string
}

/** The audit settings that the application passes to the kernel. */
export interface AuditPort {
  /** Sinks by name. If one of them fails to open, the kernel cannot open the store. No request can remove a sink of this list. */
  readonly sinks?: Readonly<Record<string, AuditSinkOptions | AuditSink | ((entry: AuditEntry) => void | Promise<void>)>>
  /** Factories by `type`, for `sys/audit/<name>`. A request for a type without a factory is refused. */
  readonly factories?: Readonly<Record<string, AuditSinkFactory>>
}
