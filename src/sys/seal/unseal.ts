/** The operations at `sys/unseal`, `sys/seal`, `sys/seal-status` and `sys/step-down`, as in Vault. */
import { controlOperation } from '../../core/contract/operation.ts'
import { readShare } from '../../core/crypto/shamir/shares.ts'
import { f } from '../../core/field/fields.ts'
import { CONTROLS, type Controls } from '../../core/kernel/controls.ts'
import type { SealStatus } from '../../core/kernel/seal-status.ts'

const statusFields = {
  type: f.text('The type of the seal.'),
  initialized: f.bool('Whether the store is initialized.'),
  sealed: f.bool('Whether this process is sealed.'),
  t: f.int('The number of key shares that are needed to unseal the store; 0 if the seal needs none.'),
  n: f.int('The number of key shares into which the key is split.'),
  progress: f.int('The number of key shares submitted so far in the running attempt to unseal.'),
  nonce: f.text('The id of the running attempt to unseal; empty if there is none.'),
  version: f.text('The version of strongroom.'),
  build_date: f.text('Always empty.'),
  migration: f.bool(
    'Whether the store is moving from its former seal to the current one and waits for key shares of the former seal.',
  ),
  cluster_name: f.text('The name of the cluster, while the kernel is open.').optional(),
  cluster_id: f.text('The id of the cluster, while the kernel is open.').optional(),
  recovery_seal: f.bool('Whether the key shares are shares of a recovery key, as with an automatic seal.'),
  recovery_seal_type: f.text('The type of the recovery shares.').optional(),
  storage_type: f.text('`durable`, or `inmem` for a storage that loses everything when the process ends.'),
}

const shown = ({ storage }: Controls, status: SealStatus) => ({
  ...status,
  build_date: '',
  ...(status.recovery_seal ? { recovery_seal_type: 'shamir' } : {}),
  storage_type: storage.durable ? 'durable' : 'inmem',
})

export const readSealStatus = controlOperation({
  kind: 'read',
  verb: 'GET',
  path: '/seal-status',
  onDrSecondary: true,
  unauthenticated: true,
  inAnyState: true,
  summary: 'Shows whether this process is sealed, the type of the seal, and the progress of an attempt to unseal.',
  fields: {},
  returns: statusFields,
  wire: (bare) => ({ bare }),
  control: async (asked) => {
    const system = CONTROLS.of(asked)
    return shown(system, await system.sealing.status())
  },
})

export const unseal = controlOperation({
  kind: 'write',
  verb: 'POST',
  path: '/unseal',
  onDrSecondary: true,
  unauthenticated: true,
  inAnyState: true,
  rootOnly: true,
  summary: 'Submits a key share. When enough key shares were submitted, this process unseals the store.',
  fields: {
    key: f.strictText('The key share, in hexadecimal or base64.').default(''),
    reset: f.strictBool('Whether to discard the key shares submitted so far.').default(false),
    migrate: f.strictBool('Whether to move the store from its former seal to the current one.').default(false),
  },
  returns: statusFields,
  wire: (bare) => ({ bare }),
  control: async (asked, { key, reset, migrate }) => {
    const system = CONTROLS.of(asked)
    const share = reset || key === '' ? undefined : readShare(key)
    return shown(system, await system.sealing.unseal({ key: share, reset, migrate }))
  },
})

export const seal = controlOperation({
  kind: 'write',
  verb: 'POST',
  path: '/seal',
  onDrSecondary: true,
  sudo: true,
  inAnyState: 'unless open',
  rootOnly: true,
  summary:
    'Seals all processes that share the store: wipes their keys and caches, and cancels all operations in progress that are authorized by key shares, such as rekey and generate-root.',
  fields: {},
  returns: {},
  wire: () => ({ empty: true }),
  control: async (asked) => {
    const { state, sealing } = CONTROLS.of(asked)
    if (state() === 'open') await sealing.sealAll()
    return undefined
  },
})

export const stepDown = controlOperation({
  kind: 'write',
  verb: 'POST',
  path: '/step-down',
  sudo: true,
  inAnyState: 'unless open',
  rootOnly: true,
  summary: 'Has no effect: all processes that share the store are active, so no standby could take over.',
  fields: {},
  returns: {},
  control: async () => undefined,
})
