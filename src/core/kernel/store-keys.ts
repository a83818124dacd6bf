import type { SealKeeper } from '../seal/keeper.ts'
import type { StoreKeys } from './service-runtime.ts'

export const storeKeysOf = (keeper: SealKeeper): StoreKeys => ({
  get open() {
    return keeper.parts.barrier.open
  },
  opened: () => keeper.opened(),
  refresh: () => keeper.refresh(),
  forget() {
    keeper.parts.barrier.seal()
    keeper.sealed()
  },
})
