/** `kernel.seal`: initializing, sealing and unsealing, for the embedding application. */

import { DeferredCode } from './core/base/deferred-code.ts'
import type { LongWorkOptions } from './core/base/progress.ts'
import type { Reply } from './core/contract/api.ts'
import { deferredFacade } from './core/contract/deferred.ts'
import { checkShare, readShare } from './core/crypto/shamir/shares.ts'
import type { KernelState } from './core/exchange/gate.ts'
import type { KernelInternals } from './core/kernel/assemble.ts'
import type { SealStatus } from './core/kernel/seal-status.ts'
import type { Sealing } from './core/kernel/sealing.ts'
import type { Initialized } from './core/seal/initialize.ts'
import type { ReencryptProgress } from './core/seal/reencrypt.ts'
import { isAutomatic } from './core/seal/seal.ts'
import { viewClassOf } from './facades.ts'
import { ROTATION_FACADE } from './sys/administration/manifest.ts'
import type {
  ConfigureRotationArguments,
  ReadKeyStatusResult,
  ReadRotationConfigResult,
  Rotation,
} from './sys/rotate/generated/api.ts'

/**
 * The arguments of `initialize`. With a manual seal, `secret_shares` and `secret_threshold` are required, and the arguments for an automatic
 * seal are refused. With an automatic seal, the arguments for a manual seal are refused.
 */
export interface InitializeArguments {
  /** For a manual seal: the number of key shares, 1 to 255. */
  readonly secret_shares?: number
  /** For a manual seal: the number of shares that unseal the store; at least 2 if there are several shares. */
  readonly secret_threshold?: number
  /** PGP keys, one for each share: base64 of the binary public keys. The returned shares are encrypted to them. */
  readonly pgp_keys?: readonly string[]
  /** For an automatic seal: the number of recovery shares. Without this argument there is no recovery key. */
  readonly recovery_shares?: number
  /** The number of recovery shares that are required to reconstruct the recovery key. */
  readonly recovery_threshold?: number
  /** PGP keys, one for each recovery share: base64 of the binary public keys. */
  readonly recovery_pgp_keys?: readonly string[]
  /** The PGP key to which the root token is encrypted. */
  readonly root_token_pgp_key?: string
}

export interface UnsealArguments {
  /** A share in hexadecimal or base64, or its bytes. */
  readonly key?: string | Uint8Array
  /** Whether to discard the shares submitted so far. */
  readonly reset?: boolean
  /** Whether to move the store to the seal that this kernel is configured with. Requires shares of the former seal. */
  readonly migrate?: boolean
}

const REENCRYPT = /* @__PURE__ */ new DeferredCode('re-encryption', () => import('./core/seal/reencrypt.ts'))

export const RotationView = /* @__PURE__ */ viewClassOf<Rotation>(
  deferredFacade(ROTATION_FACADE, async () => (await import('./sys/administration/engine.ts')).rotateOperations),
)

export class SealControl {
  readonly #internals: KernelInternals
  readonly #sealing: Sealing
  readonly #rotation: Rotation

  /** @internal */
  constructor(internals: KernelInternals, sealing: Sealing, rotation: Rotation) {
    this.#internals = internals
    this.#sealing = sealing
    this.#rotation = rotation
  }

  /** The state of this process: `uninitialized`, `sealed`, `open` ... */
  get state(): KernelState {
    return this.#internals.gate.state
  }

  /** Returns the state of the seal. Answers in every state except closed. */
  async status(): Promise<SealStatus> {
    this.#check()
    return this.#sealing.status()
  }

  /**
   * Initializes the store: creates its keys, the conventional mounts and a root token. With an automatic seal, the kernel is unsealed
   * afterwards; with a manual seal, it waits for key shares. The keys and tokens in the result are returned only once.
   * @throws TypeError for wrong types; KernelError 400 for invalid counts and keys, and if the store is already initialized. If it throws
   * one of these, nothing is stored.
   */
  async initialize(args: InitializeArguments = {}): Promise<Initialized> {
    this.#check()
    checkArguments('initialize', args, INITIALIZE)
    return this.#sealing.initialize(args, false)
  }

  /**
   * Submits a key share. Without a share, tries again to unseal with an automatic seal. When enough shares are submitted, the store is
   * unsealed. If the shares do not combine to the store's key, all of them are discarded.
   * @throws TypeError for wrong types; KernelError 400 if a share is malformed or if the shares do not unseal the store; if the automatic
   * seal fails, the error of the seal.
   */
  async unseal(args: UnsealArguments = {}): Promise<SealStatus> {
    this.#check()
    checkArguments('unseal', args, UNSEAL)
    const { key, reset, migrate } = args
    if (key === undefined && reset === undefined && migrate === undefined && isAutomatic(this.#internals.keeper.parts.seal)) {
      await this.#sealing.unsealAutomatically()
      return this.#sealing.status()
    }
    return this.#sealing.unseal({ key: shareOf(key), reset, migrate })
  }

  /**
   * Seals this process: wipes every key from memory. Running requests finish with the key versions that they have pinned; later requests
   * fail with 503. Rekey and generate-root attempts are cancelled. Other processes of the store are not sealed; use `sys/seal` to seal all
   * processes.
   */
  async seal(): Promise<void> {
    await this.#sealing.sealHere()
  }

  /**
   * Rotates the barrier key: from now on, all processes of the store encrypt with the new key. Older records remain readable with their old
   * keys until they are written again or {@link reencrypt} re-encrypts them.
   */
  async rotate(): Promise<void> {
    await this.#rotation.rotate()
  }

  /** Replaces the root key. The key shares remain valid. */
  async rotateRootKey(): Promise<void> {
    await this.#rotation.rotateRootKey()
  }

  /** Returns the term of the active barrier key, its creation time (RFC 3339) and the number of encryptions with it. */
  readKeyStatus(): Promise<Reply<ReadKeyStatusResult>> {
    return this.#rotation.readKeyStatus()
  }

  /** Returns when `tick()` rotates the barrier key automatically. */
  readRotationConfig(): Promise<Reply<ReadRotationConfigResult>> {
    return this.#rotation.readRotationConfig()
  }

  /**
   * Configures automatic rotation: `max_operations` from 1,000,000 to 3,865,470,566 (the default); `interval` in seconds or as `"48h"`, at
   * least 24 hours, or 0 for never (the default). Omitted settings remain unchanged.
   */
  async configureRotation(args: ConfigureRotationArguments): Promise<void> {
    await this.#rotation.configureRotation(args)
  }

  /**
   * Re-encrypts all records of former barrier keys with the active key, in small commits, while requests are served. If the work is aborted
   * or the process crashes, the next call continues where it stopped. Records that cannot be decrypted are counted in `failed` and remain
   * unchanged.
   * @throws KernelError 503 if the kernel is sealed; the reason of `signal` if it is aborted.
   */
  async reencrypt(options: LongWorkOptions<ReencryptProgress> = {}): Promise<ReencryptProgress> {
    const { gate, host } = this.#internals
    gate.check()
    const run = async (): Promise<ReencryptProgress> => {
      const { reencrypt } = await REENCRYPT.loaded()
      return reencrypt(host, this.#internals.keeper.parts.barrier, options)
    }
    return gate.track(run())
  }

  #check(): void {
    if (this.state === 'closed') throw new TypeError('the kernel is closed')
  }
}

/** Copies the bytes, because the kernel wipes the array that it receives. */
function shareOf(key: UnsealArguments['key']): Uint8Array | undefined {
  if (key === undefined || key === null) return undefined
  return typeof key === 'string' ? readShare(key) : checkShare(new Uint8Array(key))
}

type Kind = 'integer' | 'text' | 'texts' | 'boolean' | 'share'

const INITIALIZE: Readonly<Record<keyof InitializeArguments, Kind>> = {
  secret_shares: 'integer',
  secret_threshold: 'integer',
  pgp_keys: 'texts',
  recovery_shares: 'integer',
  recovery_threshold: 'integer',
  recovery_pgp_keys: 'texts',
  root_token_pgp_key: 'text',
}
const UNSEAL: Readonly<Record<keyof UnsealArguments, Kind>> = { key: 'share', reset: 'boolean', migrate: 'boolean' }

const IS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  integer: Number.isSafeInteger,
  text: (value) => typeof value === 'string',
  texts: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  boolean: (value) => typeof value === 'boolean',
  share: (value) => typeof value === 'string' || value instanceof Uint8Array,
}

function checkArguments(method: string, args: object, kinds: Readonly<Record<string, Kind>>): void {
  if (typeof args !== 'object' || args === null) throw new TypeError(`${method}: takes an object of named arguments`)
  for (const [name, value] of Object.entries(args)) {
    const kind = kinds[name]
    if (!kind) throw new TypeError(`${name}: unknown argument`)
    if (value !== undefined && value !== null && !IS[kind](value)) throw new TypeError(`${name}: has the wrong type`)
  }
}
