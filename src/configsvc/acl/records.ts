/**
 * What the ACL half keeps. Ids begin with a namespace, so that the things of one never meet those of another.
 */

import { foldName } from '../../core/base/fold-name.ts'
import { jsonRecord } from '../../core/contract/record-kind.ts'

/** A link as it is stored: names are looked up when it is shown. */
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

/** What everything has that is kept here. */
export interface AclRecordMeta {
  readonly Namespace: string
  readonly Partition?: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/** A method by its name and by what tells it from a later one of that name. What it made counts as long as it is there. */
export interface AuthMethodLink {
  readonly Name: string
  readonly uuid: string
}

/** What roles and tokens grant. */
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
  /** The method that made it; absent for other tokens. */
  readonly AuthMethod?: AuthMethodLink
  /** Milliseconds. */
  readonly CreateTime: number
  /** Milliseconds; absent: it does not expire. */
  readonly ExpirationTime?: number
  readonly Hash: string
}

export interface AuthMethodRecord extends AclRecordMeta {
  readonly Name: string
  readonly Type: string
  readonly DisplayName: string
  readonly Description: string
  /** Nanoseconds in decimal; `0`: none. */
  readonly MaxTokenTTL: string
  readonly TokenLocality: string
  readonly Config: unknown
  /** Tells it from a later method of the same name. */
  readonly uuid: string
  /** The index at which one of its binding rules was last written or deleted; 0: never. */
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

/** `<namespace>/<ID>` */
export const ACL_POLICY = /* @__PURE__ */ jsonRecord<AclPolicyRecord>({ class: 'l', folder: 'policy' })

/** `<namespace>/<name in lower case>`: the ID. */
export const ACL_POLICY_NAME = /* @__PURE__ */ jsonRecord<string>({ class: 'l', folder: 'policy-name' })

/** `<namespace>/<ID>` */
export const ACL_ROLE = /* @__PURE__ */ jsonRecord<AclRoleRecord>({ class: 'l', folder: 'role' })

/** `<namespace>/<name in lower case>`: the ID. */
export const ACL_ROLE_NAME = /* @__PURE__ */ jsonRecord<string>({ class: 'l', folder: 'role-name' })

/** By the keyed hash of the SecretID, whatever the namespace: a secret does not tell where its token is from. */
export const ACL_TOKEN = /* @__PURE__ */ jsonRecord<AclTokenRecord>({ class: 'l', folder: 'token' })

/** The id of the one record that says that the first management token was made. */
export const BOOTSTRAPPED_ID = 'done'

/** Present once somebody has made the first management token. */
export const BOOTSTRAPPED = /* @__PURE__ */ jsonRecord<true>({ class: 'l', folder: 'bootstrapped' })

/** By AccessorID: the id that the token is stored under. */
export const ACL_ACCESSOR = /* @__PURE__ */ jsonRecord<string>({ class: 'l', folder: 'accessor' })

/** `<namespace>/<name in lower case>` */
export const AUTH_METHOD = /* @__PURE__ */ jsonRecord<AuthMethodRecord>({ class: 'l', folder: 'auth-method' })

/** `<namespace>/<ID>` */
export const BINDING_RULE = /* @__PURE__ */ jsonRecord<BindingRuleRecord>({ class: 'l', folder: 'binding-rule' })

/** `<uuid of the method>/<ID>`: the id of the rule. */
export const RULE_OF_METHOD = /* @__PURE__ */ jsonRecord<string>({ class: 'l', folder: 'rule-of-method', guarded: true })

/** `<uuid of the method>/<id of the token>` */
export const TOKEN_OF_METHOD = /* @__PURE__ */ jsonRecord<true>({ class: 'l', folder: 'token-of-method' })

/** The id of a thing by its name, which matches in any case. */
export const byName = (namespace: string, name: string): string => `${namespace}/${foldName(name)}`

export const byId = (namespace: string, id: string): string => `${namespace}/${id}`

export const DEFAULT_NAMESPACE = 'default'

export const ANONYMOUS_ACCESSOR = '00000000-0000-0000-0000-000000000002'
