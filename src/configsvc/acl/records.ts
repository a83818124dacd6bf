/** Records of the ACL system. Their ids begin with the namespace, so that names in different namespaces do not conflict. */

import { foldName } from '../../core/base/fold-name.ts'
import { jsonRecord } from '../../core/contract/record-kind.ts'

/** A stored link. The current name of its target is looked up for responses. */
export interface StoredLink {
  readonly ID: string
}

export interface ServiceIdentity {
  readonly ServiceName: string
  readonly Datacenters?: readonly string[]
}

export interface NodeIdentity {
  readonly NodeName: string
  readonly Datacenter: string
}

export interface TemplatedPolicyLink {
  readonly TemplateName: string
  readonly TemplateID: string
  readonly TemplateVariables?: { readonly name?: string }
  readonly Datacenters?: readonly string[]
}

/** Members of every ACL record. */
export interface AclRecordMeta {
  readonly Namespace: string
  readonly Partition?: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/**
 * The name and the uuid of an auth method. If the method is deleted, a later one with the same name has another uuid, so records that link
 * to the deleted method are invalid.
 */
export interface AuthMethodLink {
  readonly Name: string
  readonly uuid: string
}

/** The permissions of a role or token. */
export interface Grants {
  readonly Policies: readonly StoredLink[]
  readonly TemplatedPolicies: readonly TemplatedPolicyLink[]
  readonly ServiceIdentities: readonly ServiceIdentity[]
  readonly NodeIdentities: readonly NodeIdentity[]
}

export interface AclPolicyRecord extends AclRecordMeta {
  readonly ID: string
  readonly Name: string
  readonly Description: string
  readonly Rules: string
  readonly Datacenters: readonly string[]
  /** Base64 of 32 bytes. */
  readonly Hash: string
}

export interface AclRoleRecord extends AclRecordMeta, Grants {
  readonly ID: string
  readonly Name: string
  readonly Description: string
  readonly Hash: string
}

export interface AclTokenRecord extends AclRecordMeta, Grants {
  readonly AccessorID: string
  readonly Description: string
  readonly Roles: readonly StoredLink[]
  readonly Local: boolean
  /** The auth method whose login created the token; absent for other tokens. */
  readonly AuthMethod?: AuthMethodLink
  /** In milliseconds since the Unix epoch. */
  readonly CreateTime: number
  /** In milliseconds since the Unix epoch; absent if the token does not expire. */
  readonly ExpirationTime?: number
  readonly Hash: string
}

export interface AuthMethodRecord extends AclRecordMeta {
  readonly Name: string
  readonly Type: string
  readonly DisplayName: string
  readonly Description: string
  /** Nanoseconds in decimal; `0` means unlimited. */
  readonly MaxTokenTTL: string
  readonly TokenLocality: string
  readonly Config: unknown
  /** A later method with the same name has another uuid. */
  readonly uuid: string
  /** The index at which one of the method's binding rules was last written or deleted; 0 means never. */
  readonly RulesIndex: number
}

export interface BindingRuleRecord extends AclRecordMeta {
  readonly ID: string
  readonly Description: string
  readonly AuthMethod: AuthMethodLink
  readonly Selector: string
  readonly BindType: string
  readonly BindName: string
  readonly BindVars?: { readonly name?: string }
}

/** Id: `<namespace>/<ID>` */
export const ACL_POLICY = /* @__PURE__ */ jsonRecord<AclPolicyRecord>({ class: 'l', folder: 'policy' })

/** Id: `<namespace>/<folded name>`. Value: the ID of the record with this name. */
export const ACL_POLICY_NAME = /* @__PURE__ */ jsonRecord<string>({ class: 'l', folder: 'policy-name' })

/** Id: `<namespace>/<ID>` */
export const ACL_ROLE = /* @__PURE__ */ jsonRecord<AclRoleRecord>({ class: 'l', folder: 'role' })

/** Id: `<namespace>/<folded name>`. Value: the ID of the record with this name. */
export const ACL_ROLE_NAME = /* @__PURE__ */ jsonRecord<string>({ class: 'l', folder: 'role-name' })

/** Id: the keyed hash of the SecretID. It has no namespace, because a secret does not reveal the namespace of its token. */
export const ACL_TOKEN = /* @__PURE__ */ jsonRecord<AclTokenRecord>({ class: 'l', folder: 'token' })

/** The id of the single `BOOTSTRAPPED` record. */
export const BOOTSTRAPPED_ID = 'done'

/** Exists once the first management token was created. */
export const BOOTSTRAPPED = /* @__PURE__ */ jsonRecord<true>({ class: 'l', folder: 'bootstrapped' })

/** Id: the AccessorID. Value: the id of the token's record. */
export const ACL_ACCESSOR = /* @__PURE__ */ jsonRecord<string>({ class: 'l', folder: 'accessor' })

/** Id: `<namespace>/<name in lower case>` */
export const AUTH_METHOD = /* @__PURE__ */ jsonRecord<AuthMethodRecord>({ class: 'l', folder: 'auth-method' })

/** Id: `<namespace>/<ID>` */
export const BINDING_RULE = /* @__PURE__ */ jsonRecord<BindingRuleRecord>({ class: 'l', folder: 'binding-rule' })

/** Id: `<uuid of the auth method>/<ID of the rule>`. Value: the id of the rule's record. */
export const RULE_OF_METHOD = /* @__PURE__ */ jsonRecord<string>({ class: 'l', folder: 'rule-of-method', guarded: true })

/** Id: `<uuid of the auth method>/<id of the token's record>` */
export const TOKEN_OF_METHOD = /* @__PURE__ */ jsonRecord<true>({ class: 'l', folder: 'token-of-method' })

/** The id of the record for a name; names match regardless of case. */
export const byName = (namespace: string, name: string): string => `${namespace}/${foldName(name)}`

export const byId = (namespace: string, id: string): string => `${namespace}/${id}`

export const DEFAULT_NAMESPACE = 'default'

export const ANONYMOUS_ACCESSOR = '00000000-0000-0000-0000-000000000002'
