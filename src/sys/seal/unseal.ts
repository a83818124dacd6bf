/** sys/unseal, sys/seal and sys/seal-status (source: behaviour of the originals). */
import { controlOperation } from '../../core/contract/operation.ts'
import { readShare } from '../../core/crypto/shamir/shares.ts'
import { f } from '../../core/field/fields.ts'
import { CONTROLS, type Controls } from '../../core/kernel/controls.ts'
import type { SealStatus } from '../../core/kernel/sealing.ts'

const statusFields = {
  type: f.text('The type of the seal.'),
  initialized: f.bool('Whether the store is.'),
  sealed: f.bool('Whether this process is.'),
  t: f.int('Shares needed; 0 for a seal that needs none.'),
  n: f.int('Shares made.'),
  progress: f.int('Shares given.'),
  nonce: f.text('Of the attempt under way.'),
  version: f.text('Of this library.'),
  build_date: f.text('Empty.'),
  migration: f.bool('Whether the store waits for shares of its former seal.'),
  cluster_name: f.text('While open.').optional(),
  cluster_id: f.text('While open.').optional(),
  recovery_seal: f.bool('Whether shares are recovery shares.'),
  recovery_seal_type: f.text('Of recovery shares.').optional(),
  storage_type: f.text('`durable`, or `inmem` for one that loses everything with the process.'),
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
  summary: 'Tells whether this process is sealed, and by what.',
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
  summary: 'Gives a share; enough of them open the store in this process.',
  fields: {
    key: f.strictText('The share: hexadecimal, or base64.').default(''),
    reset: f.strictBool('Forget the shares that were given.').default(false),
    migrate: f.strictBool('Move the store from its former seal to the present one.').default(false),
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
  summary: 'Seals all processes of the store: keys and caches are wiped, attempts that shares authorise have ended.',
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
  summary: 'Does nothing: every process of a store is active, and none stands by to take over.',
  fields: {},
  returns: {},
  control: async () => undefined,
})
