/**
 * Replaces the shares of the unseal key and of the recovery key.
 */
import type { AnySingle } from '../../core/contract/operation.ts'
import { barrierRekey, recoveryRekey } from './rekey.ts'
import { rotateRecovery, rotateRoot } from './rotate.ts'

export { barrierRekey, recoveryRekey }

/** Adds a prefix to the names of operations, because several groups of operations use the same names. */
const named = (family: string, operations: Readonly<Record<string, AnySingle>>): Record<string, AnySingle> =>
  Object.fromEntries(Object.entries(operations).map(([name, operation]) => [`${family}.${name}`, operation]))

export const rekeyPathOperations = {
  ...named('rekey', barrierRekey),
  ...named('rekey.recovery', recoveryRekey),
  ...named('rotate.root', rotateRoot),
  ...named('rotate.recovery', rotateRecovery),
}
