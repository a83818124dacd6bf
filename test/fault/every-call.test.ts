/**
 * A storage fails at its n-th call, for some n and in every way that the storage port allows. A refused operation is stored completely or
 * not at all, and after the fault the same kernel continues normally. The slow tier tries more n, the soak tier all.
 */
import { failingStorage } from './failing-storage.ts'

failingStorage({ calls: 20, near: 20, far: 50 })
