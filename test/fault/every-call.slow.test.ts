/**
 * A storage that fails at its n-th call, for many n of a piece of work (all of them in the soak tier) and in every way the port knows: what
 * was refused is there as a whole or not at all, and with the fault gone the same kernel goes on as if nothing had been.
 */
import { TIER } from '../tiers.ts'
import { failingStorage } from './failing-storage.ts'

failingStorage(TIER === 'soak' ? { calls: 1, near: 1, far: 1 } : { calls: 4, near: 4, far: 10 })
