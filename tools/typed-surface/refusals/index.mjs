// The documented refusals: by interface, method and HTTP status. A test checks that every method has an entry.
import { ORCHESTRATOR, TOKENS } from './auth.mjs'
import { CLOUD } from './cloud.mjs'
import * as configsvc from './configsvc.mjs'
import { DATABASE, PLUGINS } from './database.mjs'
import { CUBBYHOLE, KV, KV2 } from './kv.mjs'
import { DR_REPLICATION, REPLICATION } from './replication.mjs'
import { SYNC } from './sync.mjs'
import * as system from './system.mjs'
import { TRANSIT } from './transit.mjs'

/** @type {Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>} */
export const REFUSALS = {
  TransitApi: TRANSIT,
  KvApi: KV,
  Kv2Api: KV2,
  DatabaseApi: DATABASE,
  Plugins: PLUGINS,
  CloudApi: CLOUD,
  CubbyholeApi: CUBBYHOLE,
  OrchestratorApi: ORCHESTRATOR,
  Tokens: TOKENS,
  PolicyApi: system.POLICIES,
  PasswordApi: system.PASSWORDS,
  CapabilityApi: system.CAPABILITIES,
  Mounts: system.MOUNTS,
  Namespaces: system.NAMESPACES,
  Wrapping: system.WRAPPING,
  Leases: system.LEASES,
  BarrierRekey: system.BARRIER_REKEY,
  RecoveryRekey: system.RECOVERY_REKEY,
  GenerateRoot: system.GENERATE_ROOT,
  GenerateOperationToken: system.GENERATE_OPERATION_TOKEN,
  Audit: system.AUDIT,
  ReplicationApi: REPLICATION,
  DrReplicationApi: DR_REPLICATION,
  SyncApi: SYNC,
  Identity: system.IDENTITY,
  Rotation: system.ROTATION,
  AclDecisions: configsvc.DECISIONS,
  AclPolicies: configsvc.POLICIES,
  AclTokens: configsvc.TOKENS,
  AclRoles: configsvc.ROLES,
  TemplatedPolicies: configsvc.TEMPLATED_POLICIES,
  AuthMethods: configsvc.AUTH_METHODS,
  BindingRules: configsvc.BINDING_RULES,
  ConfigEntries: configsvc.ENTRIES,
  AclLogins: configsvc.LOGINS,
}
