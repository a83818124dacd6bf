/**
 * What a kernel may be given from outside beside its storage, clock, randomness and seal: one interface per system.
 */
import type { AuditPort } from './audit-port.ts'

/**
 * Encrypts shares and tokens to people's PGP keys. Without this port nothing can be given a PGP key.
 *
 * Both methods may be called concurrently. Each call has `effect_timeout_ms` (15 seconds by default); one that takes longer counts as
 * failed. `signal` is aborted then, and when the kernel closes. A key is base64 (standard, padded) of a binary public key. Throw a `KernelError` with status
 * 400 for a key that cannot be read or cannot encrypt; anything else that is thrown is answered as the failure of a third party (502).
 */
export interface Pgp {
  /**
   * A binary OpenPGP message, without armour. It is tried with every key when that is first given, so that a key nobody can encrypt to is
   * refused before it costs anything.
   * @param bytes Lent: copy what is kept.
   * @param at Milliseconds; the kernel's time, by which a key has expired or has not. Absent: the machine's.
   */
  encrypt(bytes: Uint8Array, publicKey: string, at?: number, signal?: AbortSignal): Promise<Uint8Array>
  /** Of the primary key: lower-case hexadecimal, 40 digits for keys of version 4. */
  fingerprint(publicKey: string, signal?: AbortSignal): Promise<string>
}

/**
 * Each may be left out; what needs it then says so, naming the option. An engine adds its own by merging into this interface, and says in
 * `Engine.ports` what is called.
 */
export interface Ports {
  readonly pgp?: Pgp
  /** Who asked for what, in logs that nobody changes unnoticed. Without it nothing is recorded. */
  readonly audit?: AuditPort
}

/** What is called, and what comes back. */
export interface PortMethod {
  /** Which parameter is the signal: the last one. */
  readonly signalAt: number
  /** Whether that is an answer at all. */
  readonly answers: (answer: unknown) => boolean
}

/** The methods of a port that is one object: what is not here is never called. */
export type PortMethods = Readonly<Record<string, PortMethod>>

/**
 * A port that is a map of objects, by names that users choose. Who asks them bounds each call itself, with `env.deadline`: what they hand out has
 * methods too.
 */
export interface PortMap {
  /** The methods that each of them has. */
  readonly each: readonly string[]
}

/** What an engine says of a port. */
export type PortRules = PortMethods | PortMap

export const isPortMap = (rules: PortRules): rules is PortMap => 'each' in rules && Array.isArray(rules.each)

/** All methods of `P`, or it does not compile. */
export const portMap = <P>(
  methods: {
    readonly [M in keyof P & string as P[M] extends (...args: never[]) => unknown ? M : never]-?: true
  },
): PortMap => ({ each: Object.keys(methods) })

/** All methods of `P`, or it does not compile. */
export const portMethods = <P>(methods: { readonly [M in keyof P & string]-?: PortMethod }): PortMethods => methods

export const isBytes = (answer: unknown): boolean => answer instanceof Uint8Array
/** Whoever asks judges it. */
export const isAnything = (): boolean => true
