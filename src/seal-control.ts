/**
 * `kernel.seal`: the kernel as a whole, for the application that embeds it.
 */

import type { LongWorkOptions } from './core/base/progress.ts'
import type { Reply } from './core/contract/api.ts'
import { checkShare, readShare } from './core/crypto/shamir/shares.ts'
import type { Insides } from './core/kernel/assemble.ts'
import type { Sealing, SealStatus } from './core/kernel/sealing.ts'
import type { KernelState } from './core/request/gate.ts'
import { typedView } from './core/request/typed-view.ts'
import type { Initialized } from './core/seal/initialize.ts'
import { type ReencryptProgress, reencrypt } from './core/seal/reencrypt.ts'
import { isAutomatic } from './core/seal/seal.ts'
import { rotateOperations } from './sys/index.ts'
import type { ConfigureRotationArguments, ReadKeyStatusResult, ReadRotationConfigResult, Rotation } from './sys/rotate/api.ts'

/** Counts and keys that make no sense with the seal in force are refused; those of a manual seal have to be given. */
export interface InitializeArguments {
  /** Of a manual seal: in how many shares its key is split, 1 to 255. */
  readonly secret_shares?: number
  /** Of a manual seal: how many of the shares open the store, at least 2 where there are several. */
  readonly secret_threshold?: number
  /** PGP keys, one for each share: base64 of the binary public keys. What comes back is encrypted to them. */
  readonly pgp_keys?: readonly string[]
  /** The same of the recovery key of an automatic seal. Without them none is made. */
  readonly recovery_shares?: number
  /** How many recovery shares give the recovery key back. */
  readonly recovery_threshold?: number
  /** PGP keys, one for each recovery share: base64 of the binary public keys. */
  readonly recovery_pgp_keys?: readonly string[]
  /** What the root token is encrypted to. */
  readonly root_token_pgp_key?: string
}

export interface UnsealArguments {
  /** A share, as it was handed out (hexadecimal or base64), or its bytes. */
  readonly key?: string | Uint8Array
  /** Forget the shares that were given. */
  readonly reset?: boolean
  /** Move the store to the seal this kernel was made with; needs shares of the former one. */
  readonly migrate?: boolean
}

export const RotationView = /* @__PURE__ */ typedView(rotateOperations)

export class SealControl {
  readonly #insides: Insides
  readonly #sealing: Sealing
  readonly #rotation: Rotation

  /** @internal */
  constructor(insides: Insides, sealing: Sealing, rotation: Rotation) {
    this.#insides = insides
    this.#sealing = sealing
    this.#rotation = rotation
  }

  /** `uninitialized`, `sealed`, `open` ... of this process. */
  get state(): KernelState {
    return this.#insides.gate.state
  }

  /** In any state but closed. */
  async status(): Promise<SealStatus> {
    this.#check()
    return this.#sealing.status()
  }

  /**
   * Makes the store: its keys, the conventional mounts, a root token. With an automatic seal the kernel is open afterwards; with a manual one it
   * waits to be unsealed. What it resolves is shown once.
   * @throws TypeError for wrong types; KernelError 400 for counts and keys that cannot be, and for a store that is initialised already: nothing is
   * stored then.
   */
  async initialize(args: InitializeArguments = {}): Promise<Initialized> {
    this.#check()
    checkArguments('initialize', args, INITIALIZE)
    return this.#sealing.initialize(args, false)
  }

  /**
   * Gives a share, or asks an automatic seal again where none is given. Shares are counted until there are enough; those that turn out wrong are
   * forgotten.
   * @throws TypeError for wrong types; KernelError 400 for what is no share, and for shares that do not open the store; whatever an automatic
   * seal rejects with.
   */
  async unseal(args: UnsealArguments = {}): Promise<SealStatus> {
    this.#check()
    checkArguments('unseal', args, UNSEAL)
    const { key, reset, migrate } = args
    if (key === undefined && reset === undefined && migrate === undefined && isAutomatic(this.#insides.keeper.parts.seal)) {
      await this.#sealing.unsealAutomatically()
      return this.#sealing.status()
    }
    return this.#sealing.unseal({ key: shareOf(key), reset, migrate })
  }

  /**
   * Seals this process: wipes every key from memory. Running requests end with the keys they hold; later ones are refused with 503. Attempts that
   * shares authorise (rekey, root tokens) end. Other processes of the store go on; `sys/seal` seals them all.
   */
  async seal(): Promise<void> {
    await this.#sealing.sealHere()
  }

  /**
   * Makes a new key of the barrier, under which everything is encrypted from now on, in all processes of the store. What was before stays
   * readable under its own key, until it is written again or {@link reencrypt} has come to it.
   */
  async rotate(): Promise<void> {
    await this.#rotation.rotate()
  }

  /** Makes a new root key, which nobody sees. Shares stay what they are. */
  async rotateRootKey(): Promise<void> {
    await this.#rotation.rotateRootKey()
  }

  /** Of the key of the barrier: its number, since when it is there (RFC 3339), how often it was used. */
  readKeyStatus(): Promise<Reply<ReadKeyStatusResult>> {
    return this.#rotation.readKeyStatus()
  }

  /** When the key of the barrier rotates by itself, in `tick()`. */
  readRotationConfig(): Promise<Reply<ReadRotationConfigResult>> {
    return this.#rotation.readRotationConfig()
  }

  /**
   * Says when it does: `max_operations` 1,000,000 to 3,865,470,566 (the default), `interval` in seconds or as `"48h"`, 24 hours or more, or 0
   * for never (the default). What is not given stays.
   */
  async configureRotation(args: ConfigureRotationArguments): Promise<void> {
    await this.#rotation.configureRotation(args)
  }

  /**
   * Encrypts everything that lies under former keys of the barrier anew, under the active one, in small commits beside running requests. Ended
   * at `signal` or by a crash, it goes on where it stopped when it is called again. What cannot be opened is counted in `failed` and left as it is.
   * @throws KernelError 503 when sealed; whatever `signal` is aborted with.
   */
  async reencrypt(options: LongWorkOptions<ReencryptProgress> = {}): Promise<ReencryptProgress> {
    const { gate, host } = this.#insides
    gate.check()
    return gate.track(reencrypt(host, options))
  }

  #check(): void {
    if (this.state === 'closed') throw new TypeError('the kernel is closed')
  }
}

/** Bytes are copied: the kernel wipes its own. */
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
    if (value !== undefined && value !== null && !IS[kind](value)) throw new TypeError(`${name}: must be of another type`)
  }
}
