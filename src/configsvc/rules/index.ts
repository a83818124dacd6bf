/**
 * The rules of ACL policies and decisions by them. Pure, with long work in steps; independent of storage, tokens and requests.
 */
export {
  Authorizer,
  authorizerOf,
  buildAuthorizer,
  type DefaultPolicy,
  type ExplainedRule,
  type Explanation,
} from './authorizer.ts'
export {
  BUILT_IN_POLICIES,
  type BuiltInPolicy,
  GLOBAL_MANAGEMENT,
  GLOBAL_READ_ONLY,
  RESERVED_ID_PREFIX,
} from './built-in-policies.ts'
export type { NamedRules } from './merge-rules.ts'
export { isAuthMethodName, isIdentityName, isPolicyName, isRoleName, LONGEST_IDENTITY_NAME } from './names.ts'
export { type Permission, type PermissionText, permissionText, readPermission, readPermissionText } from './permission.ts'
export { MOST_RULES_TEXT, parseRules, readRules } from './read-rules.ts'
export { type Access, RESOURCES, type ResourceName } from './resource.ts'
export type { Rule, Rules } from './rule.ts'
export { appliesIn, type Identities, type SyntheticPolicy, synthesize, syntheticPolicies } from './synthetic-policies.ts'
export {
  fillTemplate,
  judgeVariables,
  readTemplateName,
  SERVICE_TEMPLATE,
  type TemplatedPolicy,
  type TemplateName,
  type TemplateVariables,
  templatedPolicies,
  templatedPolicy,
} from './templated-policies.ts'
