export interface SealStatus {
  /** The type of the seal: `shamir`, `static`, or the name of a key management service. */
  readonly type: string
  /** Whether the store is initialized. */
  readonly initialized: boolean
  /** Whether this process is sealed. */
  readonly sealed: boolean
  /** The number of shares required to unseal; with an automatic seal, the number of recovery shares required. 0 if there are no shares. */
  readonly t: number
  /** The number of existing shares. 0 if there are no shares. */
  readonly n: number
  /** The number of key shares submitted to this process in the current unseal attempt. */
  readonly progress: number
  /** The id of the current unseal attempt; empty if no share has been submitted. */
  readonly nonce: string
  /** The version of this package. */
  readonly version: string
  /** Whether the store is waiting to be moved to another seal by shares that are submitted with `migrate`. */
  readonly migration: boolean
  /** Present while the kernel is unsealed. */
  readonly cluster_name?: string
  /** Present while the kernel is unsealed: the id of the store, equal in all processes that share the store. */
  readonly cluster_id?: string
  /** Whether the shares are recovery shares. */
  readonly recovery_seal: boolean
}
