import { KernelError } from '../../core/base/errors.ts'
import type { Environment } from '../../core/contract/environment.ts'
import { portMap } from '../../core/contract/ports.ts'
import type { SyncDestination, SyncRules } from './port.ts'
import { otherNameOf, type ShownSyncType, type SyncType } from './types.ts'

declare module '../../core/contract/ports.ts' {
  interface Ports {
    /** The external stores to which secrets are pushed, keyed by type: `cloud-a-sm` or its Vault name `aws-sm`, for example. */
    readonly sync?: Readonly<Partial<Record<ShownSyncType, SyncDestination>>>
  }
}

export const SYNC_PORT = /* @__PURE__ */ portMap<SyncDestination>({ validate: true, open: true })

/** @throws KernelError 400 if the kernel has no store of this type. */
export function storeOf({ ports }: Pick<Environment, 'ports'>, type: SyncType): SyncDestination {
  const all = ports.sync ?? {}
  const name = Object.hasOwn(all, type) ? type : otherNameOf(type)
  const store = Object.hasOwn(all, name) ? all[name] : undefined
  if (!store)
    throw new KernelError(
      'ERR_NOT_CONFIGURED',
      `type: the application must pass createKernel a destination in ports.sync[${JSON.stringify(type)}]`,
    )
  if (store.type !== type || !isWhole(store.rules))
    throw new KernelError('ERR_UPSTREAM', `type: ports.sync[${JSON.stringify(type)}] must have this type and all required rules`)
  return store
}

/** Whether the required rules are present. `SYNC_PORT` has already checked the destination's methods, when the kernel was created. */
const isWhole = (rules: SyncRules | undefined): boolean =>
  typeof rules === 'object' &&
  rules !== null &&
  typeof rules.maxNameLength === 'number' &&
  typeof rules.maxValueBytes === 'number' &&
  (rules.granularityDefault === 'secret-path' || rules.granularityDefault === 'secret-key') &&
  typeof rules.normalizeName === 'function' &&
  typeof rules.foldName === 'function'
