/** The operation at `sys/leader`, as in Vault. It always reports that there is no leader. */
import { controlOperation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { REPLICATION_FIELDS, replicationOf } from './replication.ts'

export const readLeader = controlOperation({
  kind: 'read',
  verb: 'GET',
  path: '/leader',
  onDrSecondary: true,
  unauthenticated: true,
  inAnyState: true,
  summary: 'Reports that there is no leader, because all processes that share the store are active.',
  fields: {},
  returns: {
    ha_enabled: f.bool('Always false.'),
    is_self: f.bool('Always false.'),
    active_time: f.text('Always `0001-01-01T00:00:00Z`.'),
    leader_address: f.text('Always empty.'),
    leader_cluster_address: f.text('Always empty.'),
    performance_standby: f.bool('Always false.'),
    performance_standby_last_remote_wal: f.int('Always 0.'),
    ...REPLICATION_FIELDS,
  },
  wire: (bare) => ({ bare }),
  control: async (asked) => ({
    ha_enabled: false,
    is_self: false,
    active_time: '0001-01-01T00:00:00Z',
    leader_address: '',
    leader_cluster_address: '',
    performance_standby: false,
    performance_standby_last_remote_wal: 0,
    ...(await replicationOf(asked)),
  }),
})
