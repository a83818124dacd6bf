/**
 * The ports of a kernel beside its storage, clock, randomness and seal: one interface per external system.
 */
import type { AuditPort } from './audit-port.ts'

/**
 * Encrypts shares and tokens to people's PGP keys. Without this port no PGP key can be used.
 *
 * Both methods may be called concurrently. Each call has `effectTimeoutMs` (15 seconds by default); one that takes longer counts as
 * failed. `signal` is aborted then, and when the kernel closes. A key is base64 (standard, padded) of a binary public key. Throw a
 * `KernelError` with status 400 for a key that cannot be read or cannot encrypt; any other error is answered as the failure of a third
 * party (502).
 */
export interface Pgp {
  /**
   * Returns a binary OpenPGP message, without armour. Every key is tried when it is first given, so that an unusable key is refused
   * before any work.
   * @param bytes Lent: copy what is kept.
   * @param at Milliseconds; the kernel's time, by which a key has expired or not. Absent: the machine's.
   */
  encrypt(bytes: Uint8Array, publicKey: string, at?: number, signal?: AbortSignal): Promise<Uint8Array>
  /** The fingerprint of the primary key: lower-case hexadecimal, 40 digits for keys of version 4. */
  fingerprint(publicKey: string, signal?: AbortSignal): Promise<string>
}

/**
 * Every port is optional; operations that need an absent one name the option in their error. An engine adds its own port by merging into
 * this interface, and declares its methods in `Engine.ports`.
 */
export interface Ports {
  readonly pgp?: Pgp
  /** A tamper-evident log of who asked for what. Without it nothing is recorded. */
  readonly audit?: AuditPort
}

/** A method of a port: its signal and its answer. */
export interface PortMethod {
  /** The index of the signal parameter, which is the last. */
  readonly signalAt: number
  /** Whether an answer has the right type. */
  readonly answers: (answer: unknown) => boolean
  /** Gives an answer back that came when nobody waited for it any more, such as an open resource. */
  readonly late?: (answer: unknown) => unknown
}

/** The methods of a port that is one object: the kernel calls no others. */
export type PortMethods = Readonly<Record<string, PortMethod>>

/**
 * A port that is a map of objects under names that users choose. The engine bounds each call itself, with `env.deadline`: the objects they
 * return have methods too.
 */
export interface PortMap {
  /** The methods that each object has. */
  readonly each: readonly string[]
}

/** A port that is one object, whose calls the engine bounds itself as those of a {@link PortMap}. */
export interface PortObject {
  /** Its methods. */
  readonly own: readonly string[]
}

/** An engine's declaration of a port. */
export type PortRules = PortMethods | PortMap | PortObject

export const isPortMap = (rules: PortRules): rules is PortMap => 'each' in rules && Array.isArray(rules.each)
export const isPortObject = (rules: PortRules): rules is PortObject => 'own' in rules && Array.isArray(rules.own)

/** The methods that are no option. */
type Required<P> = {
  readonly [M in keyof P & string as P[M] extends (...args: never[]) => unknown ? M : never]: true
}

/** Lists all methods of `P`, or it does not compile. */
export const portMap = <P>(methods: Required<P>): PortMap => ({ each: Object.keys(methods) })

/** {@link portMap} for a port that is one object. */
export const portObject = <P>(methods: Required<P>): PortObject => ({ own: Object.keys(methods) })

/** Lists all methods of `P`, or it does not compile. */
export const portMethods = <P>(methods: { readonly [M in keyof P & string]-?: PortMethod }): PortMethods => methods

export const isBytes = (answer: unknown): boolean => answer instanceof Uint8Array
/** The caller checks the answer itself. */
export const isAnything = (): boolean => true
