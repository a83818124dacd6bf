/**
 * Where audit entries go: the port.
 */
import type { AuditEntry } from './audit-entry.ts'

/**
 * Takes one entry after the other. The kernel calls it for a sink one at a time, in the order of the chain, and waits: what an entry is
 * about goes on when the call has returned or its promise resolved. Throw or reject when the entry is not safe: a request that cannot be
 * recorded is refused. What was thrown never leaves the kernel but as `cause`.
 *
 * Each call has `effect_timeout_ms` (15 seconds by default), also when the kernel closes meanwhile. One that takes longer counts as failed and
 * its `signal` is aborted: reject then, since the sink is given nothing else before that call has ended. Entries meanwhile count as refused by
 * it at once, and so they do for as long again after the call was rejected; the next one is a trial, for which no other entry waits. A sink that
 * resolves late is trusted again at once.
 */
export interface AuditSink {
  /** @param entry Its `line` is the JSON text to keep, byte for byte; {@link verifyAudit} reads it again. */
  write(entry: AuditEntry, signal?: AbortSignal): void | Promise<void>
  /** Instead of `write` where it is there: done when it returns, so that requests stay without a pause. Nothing can bound it. */
  writeSync?(entry: AuditEntry): void
  /** Called before the first entry: throws when entries could not be written, which keeps the kernel from opening. */
  open?(signal?: AbortSignal): void | Promise<void>
  /**
   * Called on sinks that a factory made, when they are disabled or the kernel is sealed or closed, and when `open` succeeded too late. Nobody
   * waits for it.
   */
  close?(signal?: AbortSignal): void | Promise<void>
}

/** What an API caller asked a sink factory for: `options` as they were sent, such as `file_path`. */
export interface AuditSinkRequest {
  /** Of the device, with a slash at its end: `file/`. */
  readonly path: string
  readonly options: Readonly<Record<string, string>>
}

/** Makes sinks that are asked for by request. @throws to refuse, with 400: a `KernelError`'s message is shown, no other's. */
export type AuditSinkFactory = (request: AuditSinkRequest) => AuditSink

/** How the entries of a sink are written. The names are the originals'. */
export interface AuditFormat {
  /** Values as they are, secrets included: for tests only. Default false. */
  readonly log_raw?: boolean
  /** Accessors of tokens as HMACs. Default true. */
  readonly hmac_accessor?: boolean
  /** How many names a list has instead of the names. Default false. */
  readonly elide_list_responses?: boolean
}

/** A sink that the application gives, and how it counts. */
export interface AuditSinkOptions extends AuditFormat {
  readonly sink: AuditSink | ((entry: AuditEntry) => void | Promise<void>)
  /**
   * Every entry must be in this sink, or the request is refused. Default false: it is enough that one of all sinks has it, as with the
   * originals' devices; so with one sink there is no difference.
   */
  readonly required?: boolean
  readonly description?: string
}

/** Audit, as the application gives it to the kernel. */
export interface AuditPort {
  /** By name. The kernel does not open without them, and no request can take them away. */
  readonly sinks?: Readonly<Record<string, AuditSinkOptions | AuditSink | ((entry: AuditEntry) => void | Promise<void>)>>
  /** By `type`: what `sys/audit/<name>` may make sinks of. Without one for a type such a request is refused. */
  readonly factories?: Readonly<Record<string, AuditSinkFactory>>
}
