/** Types of policy decisions. */
import type { Steps } from '../base/steps.ts'
import type { WideObject } from '../json/wide-object.ts'
import type { CapabilityName } from './capability.ts'
import type { Policy } from './policy.ts'
import type { Validity } from './validity.ts'

/** The operation of a request. `header` is a HEAD, which only root may send; `help` is allowed for all. */
export type AclOperation = 'create' | 'read' | 'update' | 'delete' | 'list' | 'patch' | 'header' | 'help'

/** The parameters of a request as they were sent: the members of a JSON object, in any number. */
export type SentParameters = Readonly<Record<string, unknown>> | WideObject

/** A full path in canonical spelling, as policies decide about it. */
export interface AclPath {
  /** Includes the namespace's path (`ns1/secret/a`), without a leading slash. The path of a list ends in a slash. */
  readonly path: string
  /**
   * The number of slashes before a name that matches in any case. The name is folded in `path`, and rules are folded for the decision.
   * Undefined if case matters everywhere.
   */
  readonly foldedAfter?: number | undefined
  /** Other full paths of the same record. */
  readonly others?: readonly OtherPath[] | undefined
}

/**
 * Another path of the requested record. A rule that matches it but not the request's own path refuses the request if it denies. It also
 * refuses the request if it does not grant the operation and the rule for the request's own path covers both paths.
 */
export interface OtherPath {
  /** A path that ends in a slash is a folder; rules are looked up as for a list. */
  readonly path: string
  readonly foldedAfter?: number | undefined
  /**
   * Whether it is the request's own path plus a slash that the operation ignores. Then only `deny` rules count, and an exact rule for the
   * own path takes precedence.
   */
  readonly slash?: boolean | undefined
  /**
   * Whether it is the request's own path with an alias of a segment. Its rule counts as much as that of the own path: the more specific of
   * the two decides. If neither covers both paths, both must grant the operation.
   */
  readonly alias?: boolean | undefined
}

export interface AclRequest extends AclPath {
  readonly operation: AclOperation
  /** Read only for create, read, update and patch, and only if the rule restricts parameters. */
  readonly parameters?: SentParameters | undefined
  /** The TTL in seconds of the requested wrapped answer; 0 and undefined mean no wrapping. */
  readonly wrapTtl?: number | undefined
}

/** One of four frozen constants. */
export interface Decision {
  readonly allowed: boolean
  /** Whether the rule grants `sudo`, independently of `allowed`. Protected paths require both. */
  readonly sudo: boolean
}

/** How a pattern matches: the whole path, the beginning of the path (`*`), or with `+` for segments. */
export type MatchKind = 'exact' | 'prefix' | 'segment wildcard'

export interface DecidingAclRule {
  /** The full pattern, including the namespace's path and a final star. */
  readonly pattern: string
  /** The policies that have a rule with this pattern, in the given order, without duplicates. */
  readonly policies: readonly string[]
  /** Sorted. `["deny"]` also if the rule grants nothing. */
  readonly capabilities: readonly CapabilityName[]
  /** How the pattern matches. */
  readonly kind: MatchKind
  /** Less specific patterns that also match, best first, at most 16. */
  readonly over: readonly string[]
}

export interface AclExplanation extends Decision {
  readonly root: boolean
  /** The rule that decides. Absent if no rule matches, for root, and for help. */
  readonly rule?: DecidingAclRule
  /** One sentence for people. It contains patterns and the names of policies and parameters, never values. */
  readonly reason: string
}

/** A capability at a path; `root` means everything. */
export type Granted = CapabilityName | 'root'

/** The capabilities at a path, or at all paths that begin with it. */
export interface ResultantPath {
  /** Sorted. */
  readonly capabilities: readonly CapabilityName[]
}

/** Paths, without their star, and their capabilities. */
export type ResultantPaths = Readonly<Record<string, ResultantPath>>

/** The summary that user interfaces request. */
export type ResultantAcl =
  | { readonly root: true }
  | { readonly root: false; readonly exact_paths: ResultantPaths; readonly glob_paths: ResultantPaths }

export interface TemplateAlias {
  readonly id: string
  readonly name: string
  readonly metadata: Readonly<Record<string, string>>
  readonly custom_metadata: Readonly<Record<string, string>>
}

export interface TemplateEntity {
  readonly id: string
  readonly name: string
  readonly metadata: Readonly<Record<string, string>>
  /** By the accessor of each alias's mount. */
  readonly aliases: Readonly<Record<string, TemplateAlias>>
}

export interface TemplateGroup {
  readonly id: string
  readonly name: string
  readonly metadata: Readonly<Record<string, string>>
}

/** The identity whose values templates in patterns use. */
export interface TemplateIdentity {
  readonly entity: TemplateEntity | undefined
  /** The groups of the entity. Templates see no other groups. */
  readonly groups?: readonly TemplateGroup[] | undefined
}

/** A policy of a caller. */
export interface NamedPolicy {
  readonly name: string
  readonly policy: Policy
  /** The path of the policy's namespace: empty, or with a slash at the end (`ns1/`). */
  readonly namespace: string
}

/** The compiled policies of one caller. Decisions are pure and valid during `validity`. */
export interface Acl {
  /**
   * Decides whether a request is allowed. Takes time linear in the path, the parameters and the patterns that may match. Allocates only
   * when it first reaches a part of the tree that must be merged.
   */
  decide(request: AclRequest): Decision
  /**
   * The capabilities at a full path, sorted; `["root"]` for root, `["deny"]` if there are none. Rules are looked up as for a list. One
   * leading slash is ignored.
   */
  capabilities(path: string | AclPath): readonly Granted[]
  /** The period in which these rules apply. At other times other rules have expired. */
  readonly validity: Validity
  /** Whether a decision about the path needs no long preparation. Otherwise call {@link prepare} first. */
  isPrepared(path: AclPath): boolean
  /** Prepares rules for paths with names that match in any case. */
  prepare(path: AclPath): Steps<void>
  /** The approximate maximum time of one lookup, for callers that make many. */
  readonly lookupMicroseconds: number
  /** The names of the policies of the deciding rule, for the audit log. */
  speaking(request: AclRequest): readonly string[]
  /** {@link decide} with an explanation. Slower; for people. */
  explain(request: AclRequest): AclExplanation
  /**
   * Whether any rule grants anything at or below a full path, such as the path of a mount (`secret/`). Rules that more specific wildcards
   * override completely may count too.
   */
  reaches(prefix: string): Steps<boolean>
  /** A summary of all rules, for user interfaces. */
  resultant(): Steps<ResultantAcl>
}
