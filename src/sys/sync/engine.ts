export type {} from './events.ts'
export type {} from './ports.ts'

import type { LongWorkOptions } from '../../core/base/progress.ts'
import type { Reply } from '../../core/contract/api.ts'
import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { KernelInternals } from '../../core/kernel/assemble.ts'
import { listAssociations, readAssociations, readSecretDestinations, readSecretDestinationsByPath } from './association/read.ts'
import { removeAssociation } from './association/remove.ts'
import { setAssociation } from './association/set.ts'
import { deleteDestination } from './destination/delete.ts'
import { listDestinations, listDestinationsOfType, readDestination } from './destination/read.ts'
import { writeCloudASm, writeCloudBKv, writeCloudCSm, writeRepohost, writeWebhostProject } from './destination/write.ts'
import { SYNC_EVENTS } from './events.ts'
import type { ReconcileResult, SyncApi } from './generated/api.ts'
import { SYNC_PORT } from './ports.ts'
import { reconcile } from './reconcile.ts'
import { type ReconcileScope, reconcileAll, reconcilePages } from './reconcile-all.ts'
import { SYNC_TRANSACTIONS, SyncTransactions } from './sync-transactions.ts'
import { DUE_SYNC } from './work/due.ts'
import { SYNC_EFFECT } from './work/effect.ts'

export const syncOperations = {
  writeCloudASm,
  writeCloudBKv,
  writeCloudCSm,
  writeRepohost,
  writeWebhostProject,
  readDestination,
  listDestinations,
  listDestinationsOfType,
  deleteDestination,
  readAssociations,
  setAssociation,
  removeAssociation,
  listAssociations,
  readSecretDestinations,
  reconcile,
}

/** All operations of secret sync, including the one that can be called only by path. */
export const syncPathOperations = { ...syncOperations, readSecretDestinationsByPath }

/** Pushes secrets of key/value engines (version 2) to external stores. */
export interface Sync extends Omit<SyncApi, 'reconcile'> {
  /**
   * Compares external secrets with the secrets in the kernel, and pushes the secrets that differ. With `dry_run`, only reports the
   * differences.
   * @example const { checked, drift } = await kernel.sync.reconcile({ dry_run: true })
   */
  reconcile(args?: ReconcileScope, options?: LongWorkOptions): Promise<Reply<Omit<ReconcileResult, 'next'>>>
  /** Does the same as `reconcile`, but yields the results page by page, so that the result of any number of secrets fits into memory. */
  reconcilePages(args?: ReconcileScope, options?: LongWorkOptions): AsyncGenerator<ReconcileResult, void, undefined>
}

export type { ReconcileScope }

/** The facades that a kernel with secret sync has in addition to others. */
export interface SyncFacades {
  /** Pushes secrets to external stores. */
  readonly sync: Sync
}

/** Returns the engine value of secret sync: the operations below `sys/sync/`, and the facade `kernel.sync`. */
export const sync = (): EngineValue<SyncFacades> =>
  engineValue<SyncFacades>({
    events: SYNC_EVENTS,
    type: 'system',
    mounts: 'system',
    keeps: 'core',
    part: 'sync',
    operations: syncPathOperations,
    due: { sync: DUE_SYNC },
    effects: [SYNC_EFFECT],
    ports: { sync: SYNC_PORT },
    attach: (internals: KernelInternals) => SYNC_TRANSACTIONS.install(internals.host.env, new SyncTransactions(internals)),
    facades: {
      sync: {
        path: 'sys/',
        operations: syncOperations,
        methods: (view: SyncApi) => {
          const page = view.reconcile.bind(view)
          return {
            reconcile: (args?: ReconcileScope, options?: LongWorkOptions) => reconcileAll(page, args, options),
            reconcilePages: (args?: ReconcileScope, options?: LongWorkOptions) => reconcilePages(page, args, options),
          }
        },
      },
    },
  })
