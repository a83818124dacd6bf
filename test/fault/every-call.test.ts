/**
 * A storage that fails at its n-th call, for some n of a piece of work and in every way the port knows: what was refused is there as a whole
 * or not at all, and with the fault gone the same kernel goes on as if nothing had been. The slow tier tries more, the soak tier every n.
 */
import { failingStorage } from './failing-storage.ts'

failingStorage({ calls: 20, near: 20, far: 50 })
