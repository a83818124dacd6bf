/** The ports of a kernel other than storage, clock, entropy and seal: one interface per external system. */
import type { AuditPort } from './audit-port.ts'

/**
 * Encrypts key shares and tokens with the PGP keys of their recipients. Without this port, requests with PGP keys are refused.
 *
 * Both methods may be called concurrently. Each call may take `effectTimeoutMs` (15 seconds by default). A call that takes longer counts as
 * failed, and its `signal` is aborted. The signal is also aborted when the kernel closes. A key is a binary public key in standard, padded
 * base64. Throw a `KernelError` with status 400 for a key that cannot be read or cannot encrypt. Any other error becomes a 502.
 */
export interface Pgp {
  /**
   * Returns a binary OpenPGP message without armor. When a request specifies a new key, the kernel first encrypts test data with it,
   * so that an unusable key is refused before any other work.
   * @param bytes Lent: copy the bytes if you keep them.
   * @param at The kernel's time in milliseconds, for checking whether a key has expired. Default: the system's time.
   */
  encrypt(bytes: Uint8Array, publicKey: string, at?: number, signal?: AbortSignal): Promise<Uint8Array>
  /** The fingerprint of the primary key in lower-case hexadecimal: 40 digits for keys of version 4. */
  fingerprint(publicKey: string, signal?: AbortSignal): Promise<string>
}

/**
 * All ports are optional. An operation that needs an absent port names the option in its error. An engine adds its port by declaration
 * merging and declares the methods in `Engine.ports`.
 */
export interface Ports {
  readonly pgp?: Pgp
  /** A tamper-evident log of all requests. Without this port, requests are not audited. */
  readonly audit?: AuditPort
}

/** How the kernel calls a port method and checks its result. */
export interface PortMethod {
  /** The position of the signal parameter, which is the last one. */
  readonly signalAt: number
  /** Whether a result has the right type. */
  readonly answers: (answer: unknown) => boolean
  /** Releases the resources of a result that arrived after the time limit, such as an open connection. */
  readonly late?: (answer: unknown) => unknown
}

/** The methods of a port that consists of one object. The kernel calls no other methods of the object. */
export type PortMethods = Readonly<Record<string, PortMethod>>

/**
 * A port that consists of objects under names that users choose. The engine must limit the duration of calls with `env.deadline`. The
 * kernel cannot do that, because the objects return further objects with methods.
 */
export interface PortMap {
  /** The methods that each object must have. */
  readonly each: readonly string[]
}

/** A port that consists of one object. The engine must limit the duration of its calls, as for a {@link PortMap}. */
export interface PortObject {
  /** The methods that the object must have. */
  readonly own: readonly string[]
}

/** How an engine declares a port. */
export type PortRules = PortMethods | PortMap | PortObject

export const isPortMap = (rules: PortRules): rules is PortMap => 'each' in rules && Array.isArray(rules.each)
export const isPortObject = (rules: PortRules): rules is PortObject => 'own' in rules && Array.isArray(rules.own)

/** A type with one member for each required method of `P`. It has no members for optional methods and other properties. */
type RequiredMethods<P> = {
  readonly [M in keyof P & string as P[M] extends (...args: never[]) => unknown ? M : never]: true
}

/** `methods` must list all required methods of `P`; otherwise the call does not compile. */
export const portMap = <P>(methods: RequiredMethods<P>): PortMap => ({ each: Object.keys(methods) })

/** Like {@link portMap}, for a port that consists of one object. */
export const portObject = <P>(methods: RequiredMethods<P>): PortObject => ({ own: Object.keys(methods) })

/** `methods` must list all methods of `P`; otherwise the call does not compile. */
export const portMethods = <P>(methods: { readonly [M in keyof P & string]-?: PortMethod }): PortMethods => methods

export const isBytes = (answer: unknown): boolean => answer instanceof Uint8Array
/** Accepts every result. Use it for a port method if the code that calls the method validates the result. */
export const isAnything = (): boolean => true
