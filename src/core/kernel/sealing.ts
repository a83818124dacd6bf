/**
 * The actions of an operator on a kernel as a whole: initialize, unseal with shares, seal, read the state. Used by typed calls and calls by
 * path.
 *
 * Actions run one at a time: a share that is submitted while another share is being processed waits.
 */
import { conflict, invalid, KernelError, notConfigured } from '../base/errors.ts'
import { uuid } from '../base/identifiers.ts'
import { VERSION } from '../base/version.ts'
import { CollectedShares } from '../crypto/shamir/collected-shares.ts'
import { SerialExecutor } from '../seal/attempt/serial-executor.ts'
import { rekeyAuthorityOf } from '../seal/authority.ts'
import {
  cannotInitializeError,
  type Initialized,
  type InitializedStore,
  type InitializeInput,
  initializeStore,
  isInitialized,
  planInitialization,
} from '../seal/initialize.ts'
import type { SealKeeper } from '../seal/keeper.ts'
import { PgpRecipients } from '../seal/pgp-recipients.ts'
import { isAutomatic } from '../seal/seal.ts'
import { awaitsMigration, unlockAutomatically, unlockByKey } from '../seal/seal-migration.ts'
import type { SealRecord } from '../seal/seal-record.ts'
import type { KernelInternals } from './assemble.ts'
import { firstRecords, type InitialMount } from './first-records.ts'
import { openKernel, sealKernel } from './kernel-lifecycle.ts'
import type { SealStatus } from './seal-status.ts'

/** How often {@link Sealing.start} tries to initialize a store that other processes may be initializing at the same time. */
const MAX_INITIALIZE_ATTEMPTS = 50

interface UnsealInput {
  /** A key share. The kernel takes ownership of the bytes and wipes them. */
  readonly key?: Uint8Array | undefined
  readonly reset?: boolean | undefined
  readonly migrate?: boolean | undefined
}

export class Sealing {
  readonly #internals: KernelInternals
  readonly #mounts: readonly InitialMount[]
  /**
   * Encrypts new shares for PGP keys. The kernel has only one such object, because the object limits the work that all callers without a
   * token can cause together.
   */
  readonly recipients: PgpRecipients
  readonly #given = new CollectedShares()
  #nonce = ''
  readonly #queue = new SerialExecutor()

  /** @param mounts The mounts of a fresh store, in addition to the built-in ones. */
  constructor(internals: KernelInternals, mounts: readonly InitialMount[]) {
    this.#internals = internals
    this.#mounts = mounts
    this.recipients = new PgpRecipients(internals.host.env.ports, internals.host.clock)
  }

  /** The seal keeper. Rekey and generate-root attempts use the keys through it. */
  get keeper(): SealKeeper {
    return this.#internals.keeper
  }

  /** Unseals an existing store if its seal is automatic. If the option `initialize` is set, initializes a new store first. */
  async start(initialize: boolean): Promise<void> {
    const { parts } = this.keeper
    // If several processes initialize the store at the same time, only one of them succeeds. The others repeat the check until it has
    // finished.
    for (let tries = 1; initialize && !(await isInitialized(parts)); tries++) {
      const made = await this.#initialize({}, false)
      if (made) return this.#found(made.record)
      if (tries === MAX_INITIALIZE_ATTEMPTS) throw cannotInitializeError()
      await parts.store.backOff(Math.min(tries, 6))
    }
    await this.readSealRecord()
  }

  /**
   * Reads the seal record of a store that this kernel has not opened, to detect that another process has initialized the store or changed
   * its shares.
   */
  async readSealRecord(): Promise<SealRecord | undefined> {
    const { gate, keeper } = this.#internals
    if (gate.state === 'open') return keeper.known
    const held = await keeper.read()
    if (held && !held.record.untold) await this.#found(held.record)
    return held?.record
  }

  async #found(record: SealRecord): Promise<void> {
    const { gate, keeper } = this.#internals
    if (gate.state !== 'uninitialized') return
    const waits = awaitsMigration(record, keeper.parts)
    gate.state = 'sealed'
    if (!waits && isAutomatic(keeper.parts.seal)) await this.unsealAutomatically()
  }

  async status(): Promise<SealStatus> {
    const found = await this.readSealRecord()
    const { gate, cluster, keeper } = this.#internals
    const record = gate.state === 'uninitialized' ? undefined : found
    const { seal: present } = keeper.parts
    const { secret_shares, secret_threshold } = record
      ? rekeyAuthorityOf(record).counts
      : { secret_shares: 0, secret_threshold: 0 }
    return {
      type: present.type,
      initialized: record !== undefined,
      sealed: gate.state !== 'open',
      t: secret_threshold,
      n: secret_shares,
      progress: this.#given.count,
      nonce: this.#nonce,
      version: VERSION,
      migration: gate.state !== 'open' && record !== undefined && awaitsMigration(record, keeper.parts),
      ...(cluster ? { cluster_name: cluster.name, cluster_id: cluster.id } : {}),
      recovery_seal: isAutomatic(present),
    }
  }

  /**
   * @param isUnauthenticated Whether the caller is neither the application nor a client with a token.
   * @throws KernelError 400 if the input is invalid or the store is already initialized.
   */
  initialize(input: InitializeInput, isUnauthenticated: boolean): Promise<Initialized> {
    return this.#inTurn(async () => {
      const made = await this.#initialize(input, isUnauthenticated)
      if (!made) throw conflict('the store is already initialized')
      // Return the shares even if opening the store fails, because no later call can return them.
      await this.#found(made.record).catch(() => {})
      return made.shown
    })
  }

  /** Unseals with the automatic seal. Does nothing if the kernel is already unsealed. */
  async unsealAutomatically(): Promise<void> {
    const { gate, keeper } = this.#internals
    if (gate.state === 'closed') throw new TypeError('the kernel is closed')
    if (gate.state === 'uninitialized') throw new KernelError('ERR_NOT_INITIALIZED', 'the store is not initialized')
    if (gate.state === 'sealed' || this.#internals.opening) await openKernel(this.#internals, () => unlockAutomatically(keeper))
  }

  /**
   * Submits a share.
   * @throws KernelError 400 if the share is invalid, or if the submitted shares do not combine to the store's key. In the latter case, all
   * submitted shares are discarded.
   */
  unseal(input: UnsealInput): Promise<SealStatus> {
    return this.#inTurn(() => this.#unseal(input)).finally(() => input.key?.fill(0))
  }

  /**
   * Seals all processes that share the store.
   * @throws KernelError 503 if the other processes cannot be notified. This process is sealed even then.
   */
  async sealAll(): Promise<void> {
    try {
      await this.keeper.sealAll()
    } finally {
      this.#seal()
    }
  }

  /**
   * Seals this process, and cancels the rekey and generate-root attempts of all processes.
   * @throws KernelError 503 if the cancellation could not be stored.
   */
  async sealHere(): Promise<void> {
    const wasOpen = this.#internals.gate.state === 'open'
    this.#seal()
    if (wasOpen) await this.keeper.endAttempts()
  }

  #seal(): void {
    sealKernel(this.#internals)
    this.#forget()
  }

  /** Returns undefined if the store is already initialized. */
  async #initialize(input: InitializeInput, isUnauthenticated: boolean): Promise<InitializedStore | undefined> {
    const { host, gate, keeper } = this.#internals
    if (gate.state === 'closed') throw new TypeError('the kernel is closed')
    const { recipients } = this
    const plan = await planInitialization(keeper.parts, recipients, input, isUnauthenticated)
    if (await isInitialized(keeper.parts)) return undefined
    const made = await initializeStore(keeper.parts, recipients, plan, () => firstRecords(host, host.clock.now(), this.#mounts))
    if (!made) return undefined
    if (plan.tokenKey === '') this.#internals.rootToken = made.rootToken
    return made
  }

  async #unseal({ key, reset, migrate }: UnsealInput): Promise<SealStatus> {
    const { gate, keeper } = this.#internals
    const record = await this.readSealRecord()
    if (reset) {
      if (gate.state === 'open') throw conflict('reset: the kernel is unsealed')
      this.#forget()
      return this.status()
    }
    if (!key) throw invalid("'key' must be specified in request body as JSON, or 'reset' set to true")
    if (!record) throw new KernelError('ERR_NOT_INITIALIZED', 'the store is not initialized', { status: 400 })
    if (gate.state === 'open') return this.status()
    const pending = awaitsMigration(record, keeper.parts)
    if (migrate && !pending) throw notConfigured('migrate: no previous seal is configured, so there is nothing to migrate from')
    if (pending && !migrate) throw invalid('migrate: must be true, because the store is waiting to be moved to another seal')
    const { counts } = rekeyAuthorityOf(record)
    if (counts.secret_threshold === 0) throw invalid('key: there are no recovery shares; the automatic seal unseals the kernel')
    if (this.#given.add(key.slice()) && this.#nonce === '') this.#nonce = uuid(keeper.parts.entropy.bytes(16))
    if (this.#given.count >= counts.secret_threshold) await this.#tryShares(counts.secret_threshold)
    return this.status()
  }

  async #tryShares(threshold: number): Promise<void> {
    this.#nonce = ''
    const key = this.#given.combine(threshold)
    try {
      await openKernel(this.#internals, async () => {
        if (!(await unlockByKey(this.keeper, key)))
          throw invalid('key: the shares do not combine to the key of this store; submit all shares again')
      })
    } finally {
      key.fill(0)
    }
  }

  #forget(): void {
    this.#given.clear()
    this.#nonce = ''
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#internals.gate.track(this.#queue.run(work))
  }
}
