import type { Deadline } from '../base/deadline.ts'
import type { Entropy } from '../base/entropy.ts'
import type { CryptoBackend } from '../crypto/backend.ts'
import type { Ports } from './ports.ts'
import type { WorkersLease } from './workers-port.ts'

/** The constants and services of a kernel that operations may use. */
export interface Environment {
  readonly crypto: CryptoBackend
  readonly entropy: Entropy
  /** The prefix of ciphertexts, signatures and HMACs: `<prefix>:v<version>:`. */
  readonly ciphertextPrefix: string
  /** The prefix of the kernel's own headers: `<prefix>-Token`. */
  readonly headerPrefix: string
  /** Whether only FIPS-approved algorithms are allowed. Some key types are then refused. */
  readonly fips: boolean
  readonly ports: Ports
  /** Aborted when the kernel is closed. */
  readonly closing: AbortSignal
  /** Limits the duration of calls to methods of objects that a port returned. */
  readonly deadline: Deadline
  /** Worker threads, if the application provides any. */
  readonly workers?: WorkersLease | undefined
}
