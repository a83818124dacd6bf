/**
 * What the policies of a caller allow.
 */
import type { Steps } from '../base/steps.ts'
import type { WideObject } from '../json/wide-object.ts'
import type { CapabilityName } from './capability.ts'
import type { Policy } from './policy.ts'
import type { Validity } from './validity.ts'

/** The operation, in the words of the request layer. Only root may do `header` (HEAD), and everybody may do `help`. */
export type AclOperation = 'create' | 'read' | 'update' | 'delete' | 'list' | 'patch' | 'header' | 'help'

/** The parameters of a request as they were sent: an object as JSON gives it, however many members it has. */
export type SentParameters = Readonly<Record<string, unknown>> | WideObject

/** A full path in the one spelling under which it is authorized. */
export interface AclPath {
  /** With the namespace's path in front (`ns1/secret/a`) and no leading slash. The path of a list ends in a slash. */
  readonly path: string
  /**
   * After this many slashes comes a name that matches in any case. It is folded in `path`, and in rules for the decision. Undefined if
   * case matters everywhere.
   */
  readonly foldedAfter?: number | undefined
  /** Other full paths of the same record. */
  readonly others?: readonly OtherPath[] | undefined
}

/**
 * Another path of the record that a request is about. A rule for it, and not for the request's own path, refuses the request if it denies. So
 * does a rule that does not grant the operation, if the request's own rule covers both paths.
 */
export interface OtherPath {
  /** In a slash ends a folder, for which rules are looked up as for a list. */
  readonly path: string
  readonly foldedAfter?: number | undefined
  /** It is the own path with a slash that the operation ignores: only `deny` counts, and after an exact rule for the own path. */
  readonly slash?: boolean | undefined
  /**
   * It has another name for a segment of the own path, so a rule for it counts as much: the more specific of both rules decides. If neither
   * covers both paths, both have to grant.
   */
  readonly alias?: boolean | undefined
}

export interface AclRequest extends AclPath {
  readonly operation: AclOperation
  /** Read for create, read, update and patch only, and only where the rule restricts them. */
  readonly parameters?: SentParameters | undefined
  /** The lifetime in seconds of the requested wrapped answer; 0 and undefined mean none. */
  readonly wrapTtl?: number | undefined
}

/** One of four frozen constants. */
export interface Decision {
  readonly allowed: boolean
  /** Whether the rule grants `sudo`, whether or not the operation is allowed. Protected paths need both. */
  readonly sudo: boolean
}

/** How a pattern matched: in full, up to its star, or with `+` for segments. */
export type MatchKind = 'exact' | 'prefix' | 'segment wildcard'

export interface DecidingAclRule {
  /** The full pattern, with the namespace's path in front and its star. */
  readonly pattern: string
  /** The names of the policies with a rule for this pattern, in the order given, each once. */
  readonly policies: readonly string[]
  /** Sorted; `["deny"]` also for a rule that grants nothing. */
  readonly capabilities: readonly CapabilityName[]
  /** How the pattern matches: the whole path, what a path begins with, or with segments that stand for any. */
  readonly kind: MatchKind
  /** Matching but less specific patterns, the best first, at most 16. */
  readonly over: readonly string[]
}

export interface AclExplanation extends Decision {
  readonly root: boolean
  /** The rule that applies. Absent when none matches, for root and for help. */
  readonly rule?: DecidingAclRule
  /** One sentence for a person. It holds patterns, names of policies and of parameters, never values. */
  readonly reason: string
}

/** What is allowed at a path: `root` means everything. */
export type Granted = CapabilityName | 'root'

/** What a path, or all paths that begin with it, grants. */
export interface ResultantPath {
  /** Sorted. */
  readonly capabilities: readonly CapabilityName[]
}

/** Maps paths, without their star, to what they grant. */
export type ResultantPaths = Readonly<Record<string, ResultantPath>>

/** The summary that consoles request. */
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
  /** Keyed by the accessor of the aliases' mounts. */
  readonly aliases: Readonly<Record<string, TemplateAlias>>
}

export interface TemplateGroup {
  readonly id: string
  readonly name: string
  readonly metadata: Readonly<Record<string, string>>
}

/** The identity that templates in patterns refer to. */
export interface TemplateIdentity {
  readonly entity: TemplateEntity | undefined
  /** The groups the entity is a member of; templates see no others. */
  readonly groups?: readonly TemplateGroup[] | undefined
}

/** A policy of a caller. */
export interface NamedPolicy {
  readonly name: string
  readonly policy: Policy
  /** The path of the namespace the policy lives in: empty, or ending in a slash (`ns1/`). */
  readonly namespace: string
}

/** The compiled policies of one caller. Answers never change, and hold for the time of `validity`; it makes no calls and keeps nothing of the requests. */
export interface Acl {
  /**
   * Whether the request is allowed. Time is linear in path, parameters and patterns that may match; memory is allocated only to
   * merge a part of the tree when it is first reached.
   */
  decide(request: AclRequest): Decision
  /**
   * The capabilities at a full path, sorted; `["root"]` for root, `["deny"]` for nothing. Rules are looked up as for a list. One leading
   * slash is ignored.
   */
  capabilities(path: string | AclPath): readonly Granted[]
  /** When this is what the policies allow. At other times the policies have other rules. */
  readonly validity: Validity
  /** Whether a decision about a path folds many rules first, unless {@link prepare} has done that. */
  isPrepared(path: AclPath): boolean
  /** Folds the rules that decisions about a path need folded. */
  prepare(path: AclPath): Steps<void>
  /** The approximate maximum time of one lookup, for callers that make many. */
  readonly lookupMicroseconds: number
  /** The names of the policies behind the rule that applies, for the audit log. */
  speaking(request: AclRequest): readonly string[]
  /** {@link decide} with its reasons. Slower; for people. */
  explain(request: AclRequest): AclExplanation
  /**
   * Whether any rule grants anything on or below a full path, such as that of a mount with its slash (`secret/`). A rule that
   * more specific wildcards fully override may still count.
   */
  reaches(prefix: string): Steps<boolean>
  /** All rules, for consoles. */
  resultant(): Steps<ResultantAcl>
}
