/**
 * The stores that a kernel was given.
 */
import { KernelError } from '../../core/base/errors.ts'
import { portMap } from '../../core/contract/ports.ts'
import type { Environment } from '../../core/contract/tx.ts'
import type { SyncDestination, SyncRules } from './port.ts'
import { otherNameOf, type ShownSyncType, type SyncType } from './types.ts'

declare module '../../core/contract/ports.ts' {
  interface Ports {
    /** External stores that secrets are pushed to, by their type: `cloud-a-sm`, or `aws-sm`, as Vault calls it. */
    readonly sync?: Readonly<Partial<Record<ShownSyncType, SyncDestination>>>
  }
}

export const SYNC_PORT = /* @__PURE__ */ portMap<SyncDestination>({ validate: true, open: true })

/** @throws KernelError 400 where the kernel was not given one of that type. */
export function storeOf({ ports }: Pick<Environment, 'ports'>, type: SyncType): SyncDestination {
  const all = ports.sync ?? {}
  const name = Object.hasOwn(all, type) ? type : otherNameOf(type)
  const store = Object.hasOwn(all, name) ? all[name] : undefined
  if (!store) throw new KernelError('ERR_NOT_CONFIGURED', `type: createKernel({ ports: { sync } }) was given no ${type}`)
  if (store.type !== type || !isWhole(store.rules))
    throw new KernelError('ERR_UPSTREAM', `type: ports.sync[${JSON.stringify(type)}] lacks what a store tells of itself`)
  return store
}

/** Methods of the store itself were looked for when the kernel was made. */
const isWhole = (rules: SyncRules | undefined): boolean =>
  typeof rules === 'object' &&
  rules !== null &&
  typeof rules.maxNameLength === 'number' &&
  typeof rules.maxValueBytes === 'number' &&
  (rules.granularityDefault === 'secret-path' || rules.granularityDefault === 'secret-key') &&
  typeof rules.normalizeName === 'function' &&
  typeof rules.foldName === 'function'
