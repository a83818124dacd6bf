/** A store that only one configuration service uses. It is encrypted under an automatic seal, or unencrypted. */
import type { Barrier } from '../core/barrier/barrier.ts'
import { EMPTY } from '../core/base/bytes.ts'
import { KernelError } from '../core/base/errors.ts'
import { withFormat } from '../core/contract/record-kind.ts'
import type { ServiceRuntime, StoreKeys } from '../core/kernel/service-runtime.ts'
import { storeKeysOf } from '../core/kernel/store-keys.ts'
import { initializeStore, isInitialized, planInitialization } from '../core/seal/initialize.ts'
import { SealKeeper } from '../core/seal/keeper.ts'
import { putSeal } from '../core/seal/key-records.ts'
import { KeyUseReporter } from '../core/seal/key-use-reporter.ts'
import { PgpRecipients } from '../core/seal/pgp-recipients.ts'
import { BARRIER_ENCRYPTIONS, IN_USE } from '../core/seal/rotation.ts'
import type { Seal } from '../core/seal/seal.ts'
import { awaitsMigration, unlockAutomatically } from '../core/seal/seal-migration.ts'
import { decodeSealRecord, SEAL_KEY } from '../core/seal/seal-record.ts'
import { coreRecordKey } from '../core/transaction/core-key.ts'
import { freshStamp } from '../core/transaction/store-format.ts'

/** Opens the store and does the regular work that an open store needs. */
export interface OwnStore {
  readonly keys: StoreKeys
  /** Initializes the store if it is empty. */
  readonly prepare: () => Promise<void>
  readonly unlock: () => Promise<void>
  /** Rotates the barrier key if it was used for enough encryptions. Every tick calls this method. */
  readonly rotateKeys: () => Promise<void>
  /** Adds the encryptions since the last call to the stored count of the barrier key. */
  readonly flushKeyUse: () => Promise<unknown>
}

/** The seal type that is stored in the seal record of an unencrypted store. */
const PLAINTEXT = 'plaintext'

const NO_OP = async (): Promise<void> => {}

const PLAINTEXT_KEYS: StoreKeys = { open: true, opened: NO_OP, refresh: async () => true, forget: () => {} }

export function plainStore({ host }: ServiceRuntime): OwnStore {
  const { store } = host
  const prepare = async (): Promise<void> => {
    const [entry] = await store.entries([SEAL_KEY])
    if (!entry) {
      const record = { type: PLAINTEXT, wrapped: EMPTY, shares: 1, threshold: 1, recovery: undefined, epoch: 0, attempts: 0 }
      const verdict = await store.commit([freshStamp(), putSeal(record, 0)])
      return verdict.ok ? undefined : prepare()
    }
    const { type } = decodeSealRecord(entry.value)
    if (type !== PLAINTEXT)
      throw new KernelError('ERR_SEALED', `the store is sealed with a seal of type ${type}: pass that seal instead of plaintext`)
  }
  return { keys: PLAINTEXT_KEYS, prepare, unlock: NO_OP, rotateKeys: NO_OP, flushKeyUse: NO_OP }
}

export function sealedStore({ host }: ServiceRuntime, barrier: Barrier, seal: Seal): OwnStore {
  const { store, env, clock, events } = host
  const keeper = new SealKeeper({
    store,
    barrier,
    crypto: env.crypto,
    entropy: env.entropy,
    now: () => clock.now(),
    seal,
    former: undefined,
    rotated: (term) => events.publishKernelEvent('barrier.rotated', { term }),
  })
  const upkeep = new KeyUseReporter(keeper, host)
  return {
    keys: storeKeysOf(keeper),
    async prepare() {
      for (let tries = 1; !(await isInitialized(keeper.parts)); tries++) {
        if (await initialize(keeper, host)) return
        if (tries > MAX_INITIALIZE_TRIES)
          throw new KernelError('ERR_UNAVAILABLE', 'other processes keep initializing this store; retry later')
        await store.backOff(Math.min(tries, 6))
      }
      const held = await keeper.read()
      if (held) awaitsMigration(held.record, keeper.parts)
    },
    unlock: () => unlockAutomatically(keeper),
    rotateKeys: () => upkeep.run(),
    flushKeyUse: () => upkeep.report(),
  }
}

/** How often a process tries to initialize the store. If several processes initialize the same store, one succeeds and the others wait for it. */
const MAX_INITIALIZE_TRIES = 50

async function initialize({ parts }: SealKeeper, { store, env, clock }: ServiceRuntime['host']): Promise<boolean> {
  const recipients = new PgpRecipients(env.ports, clock)
  const plan = await planInitialization(parts, recipients, {}, false)
  const made = await initializeStore(parts, recipients, plan, () => {
    const count = withFormat(BARRIER_ENCRYPTIONS.format, BARRIER_ENCRYPTIONS.encode({ term: 1, count: 0 }))
    return { ops: [store.encryptedPut(coreRecordKey(BARRIER_ENCRYPTIONS, IN_USE), count, 0)], rootToken: '' }
  })
  return made !== undefined
}
