import { KernelError } from '../../core/base/errors.ts'
import { portMap } from '../../core/contract/ports.ts'
import type { Environment } from '../../core/contract/tx.ts'
import type { SyncDestination, SyncRules } from './port.ts'
import { otherNameOf, type ShownSyncType, type SyncType } from './types.ts'

declare module '../../core/contract/ports.ts' {
  interface Ports {
    /** External stores to which secrets are pushed, by type: `cloud-a-sm`, or Vault's name for it, `aws-sm`. */
    readonly sync?: Readonly<Partial<Record<ShownSyncType, SyncDestination>>>
  }
}

export const SYNC_PORT = /* @__PURE__ */ portMap<SyncDestination>({ validate: true, open: true })

/** @throws KernelError 400 if the kernel has no store of this type. */
export function storeOf({ ports }: Pick<Environment, 'ports'>, type: SyncType): SyncDestination {
  const all = ports.sync ?? {}
  const name = Object.hasOwn(all, type) ? type : otherNameOf(type)
  const store = Object.hasOwn(all, name) ? all[name] : undefined
  if (!store) throw new KernelError('ERR_NOT_CONFIGURED', `type: createKernel({ ports: { sync } }) has no ${type}`)
  if (store.type !== type || !isWhole(store.rules))
    throw new KernelError('ERR_UPSTREAM', `type: ports.sync[${JSON.stringify(type)}] has another type or incomplete rules`)
  return store
}

/** The methods of the store itself were checked when the kernel was created. */
const isWhole = (rules: SyncRules | undefined): boolean =>
  typeof rules === 'object' &&
  rules !== null &&
  typeof rules.maxNameLength === 'number' &&
  typeof rules.maxValueBytes === 'number' &&
  (rules.granularityDefault === 'secret-path' || rules.granularityDefault === 'secret-key') &&
  typeof rules.normalizeName === 'function' &&
  typeof rules.foldName === 'function'
