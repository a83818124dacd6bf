/**
 * The port for audit entries.
 */
import type { AuditEntry } from './audit-entry.ts'

/**
 * Takes one entry after the other. The kernel makes one call per sink at a time, in the order of the chain, and waits: the audited request
 * goes on when the call has returned or its promise has resolved. Throw or reject when the entry is not safely stored: a request that
 * cannot be recorded is refused. The thrown error leaves the kernel only as `cause`.
 *
 * Each call has `effectTimeoutMs` (15 seconds by default), also when the kernel closes meanwhile. A call that takes longer counts as
 * failed and its `signal` is aborted: reject then, since the sink gets no other entry before that call has ended. Entries that arrive
 * meanwhile count as refused by the sink at once, and so do those within one more timeout after the rejection; the next one is a trial, for
 * which no other entry waits. A sink that resolves late is trusted again at once.
 */
export interface AuditSink {
  /** @param entry Its `line` is the JSON text to keep, byte for byte; {@link verifyAudit} reads it back. */
  write(entry: AuditEntry, signal?: AbortSignal): void | Promise<void>
  /**
   * Used instead of `write` where present: the entry is stored when it returns, so that requests need no pause. No timeout can
   * bound it.
   */
  writeSync?(entry: AuditEntry): void
  /** Called before the first entry. Throw when entries could not be written; the kernel then does not open. */
  open?(signal?: AbortSignal): void | Promise<void>
  /**
   * Called on sinks made by a factory, when they are disabled, when the kernel is sealed or closed, and when `open` succeeded too late. The
   * kernel does not wait for it.
   */
  close?(signal?: AbortSignal): void | Promise<void>
}

/** What an API caller sent for a new sink: `options` as sent, such as `file_path`. */
export interface AuditSinkRequest {
  /** The path of the device, with a slash at its end: `file/`. */
  readonly path: string
  readonly options: Readonly<Record<string, string>>
}

/** Makes the sinks that requests ask for. @throws to refuse, with 400: the message of a `KernelError` is shown, no other's. */
export type AuditSinkFactory = (request: AuditSinkRequest) => AuditSink

/** How the entries of a sink are written. The names are the originals'. */
export interface AuditFormat {
  /** Values are written as they are, secrets included: for tests only. Default false. */
  readonly log_raw?: boolean
  /** Accessors of tokens are written as HMACs. Default true. */
  readonly hmac_accessor?: boolean
  /** Lists are written as the number of their names. Default false. */
  readonly elide_list_responses?: boolean
}

/** A sink that the application provides, and whether it is required. */
export interface AuditSinkOptions extends AuditFormat {
  readonly sink: AuditSink | ((entry: AuditEntry) => void | Promise<void>)
  /**
   * Every entry must be in this sink, or the request is refused. Default false: one sink of all is enough, as with the originals'
   * devices, so with a single sink there is no difference.
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
