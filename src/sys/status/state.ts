/** What state the kernel is in, for clients that ask before they do anything else (source: behaviour of the originals). */
import { f } from '../../core/operation/fields.ts'
import { operation } from '../../core/operation/operation.ts'
import { systemOf } from '../../core/system.ts'
import type { Tx } from '../../core/transaction/tx.ts'
import { VERSION } from '../../core/version.ts'

const isInitialized = (tx: Tx): boolean => systemOf(tx).state() !== 'uninitialized'

export const readInit = operation({
  kind: 'read',
  verb: 'GET',
  path: '/init',
  unauthenticated: true,
  always: true,
  rootOnly: true,
  summary: 'Tells whether the store is initialised.',
  fields: {},
  returns: { initialized: f.bool('Whether it is.') },
  wire: (bare) => ({ bare }),
  run: (tx) => ({ initialized: isInitialized(tx) }),
})

export const readSealStatus = operation({
  kind: 'read',
  verb: 'GET',
  path: '/seal-status',
  unauthenticated: true,
  always: true,
  summary: 'Tells whether this process is sealed, and by what.',
  fields: {},
  returns: {
    type: f.text('The type of the seal.'),
    initialized: f.bool('Whether the store is.'),
    sealed: f.bool('Whether this process is.'),
    t: f.int('Shares needed; 0 for a seal that needs none.'),
    n: f.int('Shares made.'),
    progress: f.int('Shares given.'),
    nonce: f.text('Of the attempt under way.'),
    version: f.text('Of this library.'),
    build_date: f.text('Empty.'),
    migration: f.bool('Always false.'),
    cluster_name: f.text('While open.').optional(),
    cluster_id: f.text('While open.').optional(),
    recovery_seal: f.bool('Whether shares are recovery shares.'),
    storage_type: f.text('`durable`, or `inmem` for one that loses everything with the process.'),
  },
  wire: (bare) => ({ bare }),
  run: (tx) => {
    const { seal, state, cluster, storage } = systemOf(tx)
    const identity = cluster()
    return {
      type: seal.type,
      initialized: isInitialized(tx),
      sealed: state() !== 'open',
      t: 0,
      n: 0,
      progress: 0,
      nonce: '',
      version: VERSION,
      build_date: '',
      migration: false,
      ...(identity ? { cluster_name: identity.name, cluster_id: identity.id } : {}),
      recovery_seal: seal.recoveryKeys,
      storage_type: storage.durable ? 'durable' : 'inmem',
    }
  },
})

export const readLeader = operation({
  kind: 'read',
  verb: 'GET',
  path: '/leader',
  unauthenticated: true,
  always: true,
  summary: 'Tells that there is no leader: all processes of a store are active.',
  fields: {},
  returns: {
    ha_enabled: f.bool('Always false.'),
    is_self: f.bool('Always false.'),
    active_time: f.text('RFC 3339; the zero time.'),
    leader_address: f.text('Empty.'),
    leader_cluster_address: f.text('Empty.'),
    performance_standby: f.bool('Always false.'),
    performance_standby_last_remote_wal: f.int('Always 0.'),
  },
  wire: (bare) => ({ bare }),
  run: () => ({
    ha_enabled: false,
    is_self: false,
    active_time: '0001-01-01T00:00:00Z',
    leader_address: '',
    leader_cluster_address: '',
    performance_standby: false,
    performance_standby_last_remote_wal: 0,
  }),
})
