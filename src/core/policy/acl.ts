/** The types of policy decisions. */
import type { Steps } from '../base/steps.ts'
import type { WideObject } from '../json/wide-object.ts'
import type { CapabilityName } from './capability.ts'
import type { Policy } from './policy.ts'
import type { Validity } from './validity.ts'

/** The operation of a request. `header` is a HEAD request, which only root may send; `help` is always allowed. */
export type AclOperation = 'create' | 'read' | 'update' | 'delete' | 'list' | 'patch' | 'header' | 'help'

/** The parameters of a request as they were sent: the members of a JSON object of any size. */
export type SentParameters = Readonly<Record<string, unknown>> | WideObject

/** A full path in the canonical form that policies decide about. */
export interface AclPath {
  /** The path with the namespace's path (`ns1/secret/a`), without a leading slash. The path of a list ends in a slash. */
  readonly path: string
  /**
   * The number of slashes before the last segment of the path if the case of this segment does not matter. In `path`, this segment is
   * already in lower case (folded), and patterns are folded after the same number of slashes before they are compared. Undefined if the
   * case of the whole path matters.
   */
  readonly foldedAfter?: number | undefined
  /** Other full paths that lead to the same record. */
  readonly others?: readonly OtherPath[] | undefined
}

/**
 * Another path of the requested record. A rule that matches this path but not the request's own path refuses the request in two cases: if
 * it denies, or if it does not grant the operation and the rule for the request's own path matches both paths.
 */
export interface OtherPath {
  /** If the path ends in a slash, it is a folder, and rules are looked up as for a list. */
  readonly path: string
  readonly foldedAfter?: number | undefined
  /**
   * Whether this path is the request's own path followed by a slash that the operation ignores. Then only `deny` rules for this path
   * matter, and an exact rule for the request's own path takes precedence over `deny` rules with wildcards.
   */
  readonly slash?: boolean | undefined
  /**
   * Whether this path is the request's own path with an alias in place of a segment. Then the rules for both paths have equal rank: the
   * more specific rule decides. If neither rule matches both paths, both rules must grant the operation.
   */
  readonly alias?: boolean | undefined
}

export interface AclRequest extends AclPath {
  readonly operation: AclOperation
  /** The request's parameters. Used only for create, read, update and patch, and only if the rule restricts parameters. */
  readonly parameters?: SentParameters | undefined
  /** The TTL of the requested wrapped answer in seconds; 0 and undefined mean that no wrapping was requested. */
  readonly wrapTtl?: number | undefined
}

/** The result of a decision: always one of four frozen constants. */
export interface Decision {
  readonly allowed: boolean
  /** Whether the rule grants `sudo`. Independent of `allowed`: a protected path requires both. */
  readonly sudo: boolean
}

/**
 * How a pattern matches a path. `exact`: it equals the whole path. `prefix`: it ends in a `*` and matches the beginning of the path.
 * `segment wildcard`: it contains a `+`, which matches one segment.
 */
export type MatchKind = 'exact' | 'prefix' | 'segment wildcard'

export interface DecidingAclRule {
  /** The full pattern, including the namespace's path and a final `*`. */
  readonly pattern: string
  /** The policies that have a rule with this pattern, in the order of the caller's policies and without duplicates. */
  readonly policies: readonly string[]
  /** The sorted capabilities of the rule. A rule that grants nothing has `["deny"]`. */
  readonly capabilities: readonly CapabilityName[]
  /** How the pattern matches a path. */
  readonly kind: MatchKind
  /** The other patterns that match, all of them less specific, the most specific first. At most 16. */
  readonly over: readonly string[]
}

export interface AclExplanation extends Decision {
  readonly root: boolean
  /** The deciding rule. Absent if no rule matches, for root, and for `help`. */
  readonly rule?: DecidingAclRule
  /** A sentence for people. It contains patterns and the names of policies and parameters, but no parameter values. */
  readonly reason: string
}

/** A capability at a path. `root` means all capabilities. */
export type Granted = CapabilityName | 'root'

/** The capabilities at a path, or at all paths that begin with the path. */
export interface ResultantPath {
  /** The sorted names of the capabilities. */
  readonly capabilities: readonly CapabilityName[]
}

/** Paths, without a final `*`, with their capabilities. */
export type ResultantPaths = Readonly<Record<string, ResultantPath>>

/** A summary of the caller's rules, for user interfaces. */
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
  /** The aliases, keyed by the accessor of each alias's mount. */
  readonly aliases: Readonly<Record<string, TemplateAlias>>
}

export interface TemplateGroup {
  readonly id: string
  readonly name: string
  readonly metadata: Readonly<Record<string, string>>
}

/** The identity from which templates in patterns take their values. */
export interface TemplateIdentity {
  readonly entity: TemplateEntity | undefined
  /** The groups of the entity. Templates can refer only to these groups. */
  readonly groups?: readonly TemplateGroup[] | undefined
}

/** A policy that applies to a caller. */
export interface NamedPolicy {
  readonly name: string
  readonly policy: Policy
  /** The path of the policy's namespace. Empty for the root namespace; otherwise it ends in a slash (`ns1/`). */
  readonly namespace: string
}

/** The compiled policies of one caller. A decision has no side effects, and is valid only at times within `validity`. */
export interface Acl {
  /** Why nothing is allowed, whatever the request. Absent if the rules of policies decide. */
  readonly refusal?: string
  /**
   * Decides whether a request is allowed. The time is linear in the length of the path, the parameters and the patterns that may match. A
   * call allocates memory only when it is the first to reach a part of the pattern tree in which the rules of several policies must be
   * merged.
   */
  decide(request: AclRequest): Decision
  /**
   * The sorted capabilities at a full path; `["root"]` for root, `["deny"]` if there are no capabilities. Rules are looked up as for a
   * list. One leading slash is ignored.
   */
  capabilities(path: string | AclPath): readonly Granted[]
  /**
   * The period in which exactly these rules apply. It begins when the latest of the expired rules expired, and ends when the first of the
   * remaining rules expires.
   */
  readonly validity: Validity
  /** Whether {@link decide} can decide about the path immediately. If not, {@link prepare} must be called first. */
  isPrepared(path: AclPath): boolean
  /** Prepares the rules for paths in which the case of a name does not matter. */
  prepare(path: AclPath): Steps<void>
  /** The estimated maximum time of one lookup in microseconds, for callers that make many lookups. */
  readonly lookupMicroseconds: number
  /** The names of the policies that have the deciding rule, for the audit log. */
  speaking(request: AclRequest): readonly string[]
  /** Like {@link decide}, with an explanation for people. Slower. */
  explain(request: AclRequest): AclExplanation
  /**
   * Whether any rule grants anything at or below a full path, such as the path of a mount (`secret/`). The result may be true because of a
   * rule that more specific wildcards override completely.
   */
  reaches(prefix: string): Steps<boolean>
  /** A summary of all rules, for user interfaces. */
  resultant(): Steps<ResultantAcl>
}
