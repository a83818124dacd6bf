/** The port for audit entries. */
import type { AuditEntry } from './audit-entry.ts'

/**
 * Receives one entry at a time, in chain order. The audited request continues when the call returns or its promise resolves. Throw or
 * reject if the entry is not safely stored: a request that cannot be audited is refused. The error that you throw appears only as the
 * `cause` of the kernel's error.
 *
 * Each call has `effectTimeoutMs` (15 seconds by default), even while the kernel closes. A call that takes longer counts as failed and its
 * `signal` is aborted; reject then, because the sink receives no other entry until the call has ended. Entries that arrive in the meantime
 * fail at once, and so do entries during one more timeout after the rejection. The next entry is a trial that no other entry waits for. A
 * sink that resolves late is used again at once.
 */
export interface AuditSink {
  /** @param entry Store its `line` byte for byte; {@link verifyAudit} reads it back. */
  write(entry: AuditEntry, signal?: AbortSignal): void | Promise<void>
  /**
   * If present, used instead of `write`. The entry must be stored when the call returns, so that requests need not wait. No timeout
   * applies.
   */
  writeSync?(entry: AuditEntry): void
  /** Called before the first entry. Throw if entries cannot be written; the kernel then does not open. */
  open?(signal?: AbortSignal): void | Promise<void>
  /**
   * Called on sinks that a factory made: when they are disabled, when the kernel is sealed or closed, and when `open` succeeded after its
   * timeout. The kernel does not wait for it.
   */
  close?(signal?: AbortSignal): void | Promise<void>
}

/** A request to create a sink; `options` are as the caller sent them, such as `file_path`. */
export interface AuditSinkRequest {
  /** The path of the device, with a slash at its end: `file/`. */
  readonly path: string
  readonly options: Readonly<Record<string, string>>
}

/**
 * Makes the sinks that API callers create. @throws to refuse the request with 400. Only the message of a `KernelError` is shown to the
 * caller.
 */
export type AuditSinkFactory = (request: AuditSinkRequest) => AuditSink

/** How a sink's entries are written. The option names are Vault's. */
export interface AuditFormat {
  /** Writes values unhashed, secrets included: for tests only. Default false. */
  readonly log_raw?: boolean
  /** Writes the accessors of tokens as HMACs. Default true. */
  readonly hmac_accessor?: boolean
  /** Writes lists as the number of their names. Default false. */
  readonly elide_list_responses?: boolean
}

/** A sink that the application provides, with its options. */
export interface AuditSinkOptions extends AuditFormat {
  readonly sink: AuditSink | ((entry: AuditEntry) => void | Promise<void>)
  /**
   * If true, a request is refused unless this sink has stored its entries. Default false: one sink of all is enough, as with Vault's audit
   * devices, so with a single sink the option makes no difference.
   */
  readonly required?: boolean
  readonly description?: string
}

/** The audit settings that the application gives to the kernel. */
export interface AuditPort {
  /** Sinks by name. The kernel does not open without them, and no request can remove them. */
  readonly sinks?: Readonly<Record<string, AuditSinkOptions | AuditSink | ((entry: AuditEntry) => void | Promise<void>)>>
  /** Factories by `type`, for `sys/audit/<name>`. A request for a type without a factory is refused. */
  readonly factories?: Readonly<Record<string, AuditSinkFactory>>
}
