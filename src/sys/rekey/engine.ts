import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { FacadeParts } from '../../core/contract/facade.ts'
import type { AnySingle } from '../../core/contract/operation.ts'
import type { KernelInternals } from '../../core/kernel/assemble.ts'
import { CONTROLS } from '../../core/kernel/controls.ts'
import { REKEY_ATTEMPTS, RekeyAttempts } from '../../core/seal/attempt/rekey-attempts.ts'
import type { BarrierRekey } from './generated/barrier-api.ts'
import type { RecoveryRekey } from './generated/recovery-api.ts'
import { barrierRekey, recoveryRekey } from './rekey.ts'
import { rotateRecovery, rotateRoot } from './rotate.ts'

export { barrierRekey, recoveryRekey }

/** Adds a prefix to the names of operations, because several groups of operations use the same names. */
const named = (family: string, operations: Readonly<Record<string, AnySingle>>): Record<string, AnySingle> =>
  Object.fromEntries(Object.entries(operations).map(([name, operation]) => [`${family}.${name}`, operation]))

const rekeyPathOperations = {
  ...named('rekey', barrierRekey),
  ...named('rekey.recovery', recoveryRekey),
  ...named('rotate.root', rotateRoot),
  ...named('rotate.recovery', rotateRecovery),
}

/** Rekeying: new key shares, authorized by the current shares. */
export interface Rekey extends BarrierRekey {
  /** New recovery shares, authorized by the current recovery shares. */
  readonly recovery: RecoveryRekey
}

/** The facades of kernels that can replace key shares. */
export interface RekeyFacades {
  /** Creating new key shares: call `init`, then `update` with enough of the current shares, then `verify` if verification was requested. */
  readonly rekey: Rekey
}

const PART = engineValue<RekeyFacades>({
  part: 'rekey',
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  operations: rekeyPathOperations,
  due: {},
  attach: ({ host, keeper }: KernelInternals) => {
    const { recipients } = CONTROLS.of(host).sealing
    REKEY_ATTEMPTS.install(host.env, new RekeyAttempts({ keeper, recipients }))
  },
  facades: {
    rekey: {
      path: 'sys/',
      operations: barrierRekey,
      methods: (_: BarrierRekey, { view }: FacadeParts) => ({ recovery: view(recoveryRekey) }),
    },
  },
})

/** Replacing key shares: the paths below `sys/rekey` and `sys/rotate`, and the facade `kernel.rekey`. */
export const rekey = (): EngineValue<RekeyFacades> => PART
