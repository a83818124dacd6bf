/** The ports of a kernel other than storage, clock, entropy and seal: one interface per external system. */
import type { AuditPort } from './audit-port.ts'

/**
 * Encrypts shares and tokens to people's PGP keys. Without this port, requests with PGP keys are refused.
 *
 * Both methods may be called concurrently. Each call has `effectTimeoutMs` (15 seconds by default), after which it counts as failed and its
 * `signal` is aborted; the signal is also aborted when the kernel closes. A key is the base64 text (standard, padded) of a binary public
 * key. Throw a `KernelError` with status 400 for a key that cannot be read or cannot encrypt. Any other error becomes a 502.
 */
export interface Pgp {
  /**
   * Returns a binary OpenPGP message without armor. Each key is also tried once when it is first given, so that an unusable key is refused
   * before any work.
   * @param bytes Lent: copy what you keep.
   * @param at The kernel's time in milliseconds, to decide whether a key has expired. Default: the system time.
   */
  encrypt(bytes: Uint8Array, publicKey: string, at?: number, signal?: AbortSignal): Promise<Uint8Array>
  /** The fingerprint of the primary key in lower-case hexadecimal: 40 digits for keys of version 4. */
  fingerprint(publicKey: string, signal?: AbortSignal): Promise<string>
}

/**
 * All ports are optional. Operations that need an absent port name the option in their error. An engine adds its port by declaration
 * merging and declares its methods in `Engine.ports`.
 */
export interface Ports {
  readonly pgp?: Pgp
  /** A tamper-evident log of all requests. Without this port nothing is audited. */
  readonly audit?: AuditPort
}

/** How the kernel calls a port method and checks its result. */
export interface PortMethod {
  /** The index of the signal parameter, which is the last one. */
  readonly signalAt: number
  /** Whether a result has the right type. */
  readonly answers: (answer: unknown) => boolean
  /** Releases a result that arrived after the deadline, such as an open connection. */
  readonly late?: (answer: unknown) => unknown
}

/** The methods of a port that is one object. The kernel calls no others. */
export type PortMethods = Readonly<Record<string, PortMethod>>

/**
 * A port that is a map of objects under names that users choose. The engine bounds each call itself with `env.deadline`, because the
 * objects that they return have methods too.
 */
export interface PortMap {
  /** The methods that each object must have. */
  readonly each: readonly string[]
}

/** A port that is one object and whose calls the engine bounds itself, as for a {@link PortMap}. */
export interface PortObject {
  /** The methods that the object must have. */
  readonly own: readonly string[]
}

/** How an engine declares a port. */
export type PortRules = PortMethods | PortMap | PortObject

export const isPortMap = (rules: PortRules): rules is PortMap => 'each' in rules && Array.isArray(rules.each)
export const isPortObject = (rules: PortRules): rules is PortObject => 'own' in rules && Array.isArray(rules.own)

/** Only methods, no optional properties. */
type Required<P> = {
  readonly [M in keyof P & string as P[M] extends (...args: never[]) => unknown ? M : never]: true
}

/** Must list all methods of `P`, or it does not compile. */
export const portMap = <P>(methods: Required<P>): PortMap => ({ each: Object.keys(methods) })

/** {@link portMap} for a port that is one object. */
export const portObject = <P>(methods: Required<P>): PortObject => ({ own: Object.keys(methods) })

/** Must list all methods of `P`, or it does not compile. */
export const portMethods = <P>(methods: { readonly [M in keyof P & string]-?: PortMethod }): PortMethods => methods

export const isBytes = (answer: unknown): boolean => answer instanceof Uint8Array
/** The caller checks the answer itself. */
export const isAnything = (): boolean => true
