/**
 * The generated interfaces have the same types as the definitions of the operations; otherwise this file does not compile.
 */
import type { AuthMethods } from '../../src/configsvc/acl/auth-methods/generated/api.ts'
import type { BindingRules } from '../../src/configsvc/acl/binding-rules/generated/api.ts'
import type { AclDecisions } from '../../src/configsvc/acl/decisions/generated/api.ts'
import type { AclLogins } from '../../src/configsvc/acl/login/generated/api.ts'
import type { AclPolicies } from '../../src/configsvc/acl/policies/generated/api.ts'
import type { AclRoles } from '../../src/configsvc/acl/roles/generated/api.ts'
import type { TemplatedPolicies } from '../../src/configsvc/acl/templated/generated/api.ts'
import type { AclTokens } from '../../src/configsvc/acl/tokens/generated/api.ts'
import type { ConfigApi } from '../../src/configsvc/operation.ts'
import type { FACADES, SERVICE_METHODS } from '../../src/configsvc/operations.ts'
import type { Api } from '../../src/core/contract/api.ts'
import type { CloudApi } from '../../src/engines/cloud/generated/api.ts'
import type { cloud } from '../../src/engines/cloud/index.ts'
import type { CubbyholeApi } from '../../src/engines/cubbyhole/generated/api.ts'
import type { cubbyhole } from '../../src/engines/cubbyhole/index.ts'
import type { DatabaseApi } from '../../src/engines/database/generated/api.ts'
import type { database } from '../../src/engines/database/index.ts'
import type { kv, kv2Operations } from '../../src/engines/kv/index.ts'
import type { KvApi } from '../../src/engines/kv/v1/generated/api.ts'
import type { Kv2Api } from '../../src/engines/kv/v2/generated/api.ts'
import type { OrchestratorApi } from '../../src/engines/orchestrator/generated/api.ts'
import type { orchestrator } from '../../src/engines/orchestrator/index.ts'
import type { operations as transitOperations } from '../../src/engines/transit/all-operations.ts'
import type { TransitApi } from '../../src/engines/transit/generated/api.ts'
import type { mountOperations, rotateOperations } from '../../src/sys/administration/engine.ts'
import type { auditOperations } from '../../src/sys/audit/engine.ts'
import type { Audit } from '../../src/sys/audit/generated/api.ts'
import type { CapabilityApi } from '../../src/sys/capabilities/generated/api.ts'
import type { capabilityOperations } from '../../src/sys/capabilities/index.ts'
import type { GenerateOperationToken } from '../../src/sys/generate-root/generated/operation-token-api.ts'
import type { GenerateRoot } from '../../src/sys/generate-root/generated/root-api.ts'
import type { generateOperationToken, generateRoot } from '../../src/sys/generate-root/index.ts'
import type { identity } from '../../src/sys/identity/engine.ts'
import type { Identity } from '../../src/sys/identity/generated/api.ts'
import type { leaseOperations } from '../../src/sys/leases/engine.ts'
import type { Leases } from '../../src/sys/leases/generated/api.ts'
import type { Mounts } from '../../src/sys/mounts/generated/api.ts'
import type { namespaceOperations } from '../../src/sys/namespaces/engine.ts'
import type { Namespaces } from '../../src/sys/namespaces/generated/api.ts'
import type { PasswordApi } from '../../src/sys/passwords/generated/api.ts'
import type { passwordOperations } from '../../src/sys/passwords/index.ts'
import type { pluginOperations } from '../../src/sys/plugins/engine.ts'
import type { Plugins } from '../../src/sys/plugins/generated/api.ts'
import type { policyOperations } from '../../src/sys/policies/engine.ts'
import type { PolicyApi } from '../../src/sys/policies/generated/api.ts'
import type { barrierRekey, recoveryRekey } from '../../src/sys/rekey/engine.ts'
import type { BarrierRekey } from '../../src/sys/rekey/generated/barrier-api.ts'
import type { RecoveryRekey } from '../../src/sys/rekey/generated/recovery-api.ts'
import type { Rotation } from '../../src/sys/rotate/generated/api.ts'
import type { tokenOperations } from '../../src/sys/token/engine.ts'
import type { Tokens } from '../../src/sys/token/generated/api.ts'
import type { wrappingOperations } from '../../src/sys/wrapping/engine.ts'
import type { Wrapping } from '../../src/sys/wrapping/generated/api.ts'

/** Whether two types are identical, including readonly and optional members. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
/** Converts interfaces and intersections to plain object types, recursively. */
type Flat<T> = T extends Error | Uint8Array ? T : T extends object ? { [K in keyof T]: Flat<T[K]> } : T

type Method = (...args: never[]) => Promise<unknown>
/** The names of the methods in which two surfaces differ. */
type Different<A, B> = {
  [K in keyof A | keyof B]: K extends keyof A & keyof B
    ? A[K] extends Method
      ? B[K] extends Method
        ? Same<Flat<Parameters<A[K]>>, Flat<Parameters<B[K]>>> extends true
          ? Same<Flat<Awaited<ReturnType<A[K]>>>, Flat<Awaited<ReturnType<B[K]>>>> extends true
            ? never
            : K
          : K
        : K
      : K
    : K
}[keyof A | keyof B]

const same = <A, B>(_differences: readonly Different<A, B>[] & ([Different<A, B>] extends [never] ? unknown : never)): void => {}

// The generated types of the omitted methods also express rules about several members.
same<Omit<TransitApi, 'verify' | 'verifyBatch'>, Omit<Api<typeof transitOperations>, 'verify' | 'verifyBatch'>>([])
same<KvApi, Api<typeof kv.operations>>([])
same<Kv2Api, Api<typeof kv2Operations>>([])
// The generated types of the omitted methods also express rules about several members.
same<Omit<CloudApi, 'writeStaticRole'>, Omit<Api<typeof cloud.operations>, 'writeStaticRole'>>([])
// The generated types of the omitted methods also express rules about several members.
same<Omit<DatabaseApi, 'writeStaticRole'>, Omit<Api<typeof database.operations>, 'writeStaticRole'>>([])
same<CubbyholeApi, Api<typeof cubbyhole.operations>>([])
same<OrchestratorApi, Api<typeof orchestrator.operations>>([])
same<Tokens, Api<typeof tokenOperations>>([])
// The generated types of the omitted methods also express rules about several members.
same<Omit<PolicyApi, 'writePolicy'>, Omit<Api<typeof policyOperations>, 'writePolicy'>>([])
same<PasswordApi, Api<typeof passwordOperations>>([])
// The generated types of the omitted methods also express rules about several members.
same<
  Omit<CapabilityApi, 'capabilities' | 'capabilitiesSelf' | 'capabilitiesAccessor'>,
  Omit<Api<typeof capabilityOperations>, 'capabilities' | 'capabilitiesSelf' | 'capabilitiesAccessor'>
>([])
same<Mounts, Api<typeof mountOperations>>([])
same<Namespaces, Api<typeof namespaceOperations>>([])
same<Wrapping, Api<typeof wrappingOperations>>([])
same<Leases, Api<typeof leaseOperations>>([])
same<BarrierRekey, Api<typeof barrierRekey>>([])
same<RecoveryRekey, Api<typeof recoveryRekey>>([])
same<GenerateRoot, Api<typeof generateRoot>>([])
same<GenerateOperationToken, Api<typeof generateOperationToken>>([])
same<Audit, Api<typeof auditOperations>>([])
same<Plugins, Api<typeof pluginOperations>>([])
same<Identity, Api<typeof identity.operations>>([])
same<Rotation, Api<typeof rotateOperations>>([])

type Service = typeof FACADES
/** No type of a surface says which reads can be watched, so they are listed here. */
type Unwatched<T> = Omit<T, 'watch'>

same<Unwatched<AclDecisions>, ConfigApi<Service['acl']>>([])
same<Unwatched<AclPolicies>, ConfigApi<Service['policies']>>([])
same<Unwatched<AclTokens>, ConfigApi<Service['tokens']>>([])
same<Unwatched<AclRoles>, ConfigApi<Service['roles']>>([])
same<Unwatched<TemplatedPolicies>, ConfigApi<Service['templatedPolicies']>>([])
same<Unwatched<AuthMethods>, ConfigApi<Service['authMethods']>>([])
same<Unwatched<BindingRules>, ConfigApi<Service['bindingRules']>>([])
same<AclLogins, ConfigApi<typeof SERVICE_METHODS>>([])

interface Left {
  one(args?: { readonly a?: number | undefined }): Promise<{ readonly b: string }>
}
interface Right {
  one(args?: { readonly a?: number }): Promise<{ b: string }>
}
// @ts-expect-error The types differ if a member accepts undefined explicitly, or is writable.
same<Left, Right>([])
