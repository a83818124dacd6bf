/** The ACLs that depend on no policy text. */
import type { Steps } from '../base/steps.ts'
import type { Acl, AclExplanation, Decision, Granted, ResultantAcl } from './acl.ts'
import { ALWAYS } from './validity.ts'

const decision = (allowed: boolean, sudo: boolean): Decision => Object.freeze({ allowed, sudo })

export const NOTHING = /* @__PURE__ */ decision(false, false)

export const ALLOWED = /* @__PURE__ */ decision(true, false)

export const SUDO = /* @__PURE__ */ decision(false, true)

export const ALLOWED_AND_SUDO = /* @__PURE__ */ decision(true, true)

// biome-ignore lint/correctness/useYield: the result is available immediately
function* immediate<T>(value: T): Steps<T> {
  return value
}

const ROOT_ALONE: readonly string[] = /* @__PURE__ */ Object.freeze(['root'])

/** The ACL of root: it allows everything, including `sudo`. */
export const ROOT_ACL: Acl = /* @__PURE__ */ Object.freeze({
  decide: () => ALLOWED_AND_SUDO,
  capabilities: (): readonly Granted[] => ['root'],
  speaking: () => ROOT_ALONE,
  explain: (): AclExplanation => ({ allowed: true, sudo: true, root: true, reason: 'root may do everything' }),
  validity: ALWAYS,
  lookupMicroseconds: 0,
  isPrepared: () => true,
  prepare: () => immediate(undefined),
  reaches: () => immediate(true),
  resultant: () => immediate<ResultantAcl>({ root: true }),
})

const NO_POLICIES = 'this kernel has no policies, so it accepts only root tokens'

/** The ACL of every caller other than root in a kernel without policies: it allows nothing, not even help. */
export const NO_POLICIES_ACL: Acl = /* @__PURE__ */ Object.freeze({
  refusal: NO_POLICIES,
  decide: () => NOTHING,
  capabilities: (): readonly Granted[] => ['deny'],
  speaking: () => [],
  explain: (): AclExplanation => ({ allowed: false, sudo: false, root: false, reason: NO_POLICIES }),
  validity: ALWAYS,
  lookupMicroseconds: 0,
  isPrepared: () => true,
  prepare: () => immediate(undefined),
  reaches: () => immediate(false),
  resultant: () => immediate<ResultantAcl>({ root: false, exact_paths: {}, glob_paths: {} }),
})
