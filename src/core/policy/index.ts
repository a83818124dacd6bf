/**
 * Parses policies and makes decisions by them. All functions are pure: they do not depend on storage, tokens or requests. Long work is done
 * by generators that yield to the event loop.
 */
export type {
  Acl,
  AclExplanation,
  AclOperation,
  AclPath,
  AclRequest,
  DecidingAclRule,
  Decision,
  Granted,
  MatchKind,
  NamedPolicy,
  OtherPath,
  ResultantAcl,
  ResultantPaths,
  SentParameters,
  TemplateAlias,
  TemplateEntity,
  TemplateGroup,
  TemplateIdentity,
} from './acl.ts'
export { DEFAULT_POLICY_TEXT, RESPONSE_WRAPPING_POLICY_TEXT } from './built-in.ts'
export { type CapabilityName, capabilityNames } from './capability.ts'
export { aclOf, compileAcl } from './compile.ts'
export { type CompiledPolicy, type CompiledRules, compilePolicy, fillPolicy } from './compiled-policy.ts'
export { ROOT_ACL } from './constant-acl.ts'
export { parsePolicy, parsePolicySteps } from './parse-policy.ts'
export type { Policy, PolicyRule, PolicyValue } from './policy.ts'
export { MAX_POLICY_BYTES, POLICY_TEXT } from './text.ts'
export { warningsOfPatterns } from './unmatched-patterns.ts'
export { ALWAYS, cutAt, hasEnded, isValidAt, type Validity } from './validity.ts'
