/**
 * A storage fails at its n-th call, for many n (all of them in the soak tier) and in every way that the storage port allows. A refused
 * operation is stored completely or not at all, and after the fault the same kernel continues normally.
 */
import { TIER } from '../tiers.ts'
import { failingStorage } from './failing-storage.ts'

failingStorage(TIER === 'soak' ? { calls: 1, near: 1, far: 1 } : { calls: 4, near: 4, far: 10 })
