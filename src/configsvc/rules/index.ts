/**
 * The rules of ACL policies, and decisions by these rules. Pure and independent of storage, tokens and requests. Long computations
 * are `Steps` generators, so other work can run in between.
 */
export {
  Authorizer,
  authorizerOf,
  buildAuthorizer,
  type DefaultPolicy,
  type ExplainedAclRule,
  type RulesExplanation,
} from './authorizer.ts'
export {
  BUILT_IN_POLICIES,
  type BuiltInPolicy,
  GLOBAL_MANAGEMENT,
  GLOBAL_READ_ONLY,
  RESERVED_ID_PREFIX,
} from './built-in-policies.ts'
export type { NamedRules } from './merge-rules.ts'
export { isAuthMethodName, isIdentityName, isPolicyName, isRoleName, MAX_IDENTITY_NAME_CHARACTERS } from './names.ts'
export { type Permission, type PermissionText, permissionText, readPermission, readPermissionText } from './permission.ts'
export { MAX_RULES_BYTES, parseRules, readRules } from './read-rules.ts'
export { RESOURCES, type ResourceAccess, type ResourceName } from './resource.ts'
export type { AclRule, AclRules } from './rule.ts'
export { appliesIn, type Identities, type SyntheticPolicy, synthesize, syntheticPolicies } from './synthetic-policies.ts'
export {
  readTemplateName,
  renderPolicyTemplate,
  SERVICE_TEMPLATE,
  type TemplatedPolicy,
  type TemplateName,
  type TemplateVariables,
  templatedPolicies,
  templatedPolicy,
  validateVariables,
} from './templated-policies.ts'
