/**
 * What the policies of a caller allow.
 */
import type { Steps } from '../base/steps.ts'
import type { WideObject } from '../json/wide-object.ts'
import type { CapabilityName } from './capability.ts'
import type { Policy } from './policy.ts'

/** What is asked for, in the words of the request layer. `header` (HEAD) is nobody's but root's, `help` everyone's. */
export type AclOperation = 'create' | 'read' | 'update' | 'delete' | 'list' | 'patch' | 'header' | 'help'

/** The parameters of a request as they were sent: an object as JSON gives it, however many members it has. */
export type SentParameters = Readonly<Record<string, unknown>> | WideObject

export interface AclRequest {
  readonly operation: AclOperation
  /** The full path, with the namespace's in front (`ns1/secret/a`) and no leading slash. That of a list ends in a slash. */
  readonly path: string
  /** Looked at for create, read, update and patch, and only where the rule restricts them. */
  readonly parameters?: SentParameters | undefined
  /** The lifetime in seconds of the wrapped answer that was asked for; 0 and undefined are none. */
  readonly wrapTtl?: number | undefined
}

/** One of four frozen constants. */
export interface Decision {
  readonly allowed: boolean
  /** Whether the rule grants `sudo`, whatever becomes of the operation. Protected paths want both. */
  readonly sudo: boolean
}

/** How a pattern came to match: in full, up to its star, or with `+` for segments. */
export type MatchKind = 'exact' | 'prefix' | 'segment wildcard'

export interface ExplainedRule {
  /** The full pattern, with the namespace's path in front and its star. */
  readonly pattern: string
  /** The names of the policies that say something about this pattern, in the order given, each once. */
  readonly policies: readonly string[]
  /** Sorted; `["deny"]` also for a rule that grants nothing. */
  readonly capabilities: readonly CapabilityName[]
  /** How the pattern matches: the whole path, what a path begins with, or with segments that stand for any. */
  readonly kind: MatchKind
  /** The patterns that match too but are less specific, the best first, at most 16. */
  readonly over: readonly string[]
}

export interface Explanation extends Decision {
  readonly root: boolean
  /** The one rule that counts. Absent when none matches, for root and for help. */
  readonly rule?: ExplainedRule
  /** One sentence for a person. It holds patterns, names of policies and of parameters, never values. */
  readonly reason: string
}

/** What may be done at a path: `root` is everything. */
export type Granted = CapabilityName | 'root'

/** What a path, or all that begin with it, grants. */
export interface ResultantPath {
  /** Sorted. */
  readonly capabilities: readonly CapabilityName[]
}

/** Paths, without their star, to what they grant. */
export type ResultantPaths = Readonly<Record<string, ResultantPath>>

/** What consoles ask for. */
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
  /** By the accessor of the mount they belong to. */
  readonly aliases: Readonly<Record<string, TemplateAlias>>
}

export interface TemplateGroup {
  readonly id: string
  readonly name: string
  readonly metadata: Readonly<Record<string, string>>
}

/** Whom templates in patterns speak of. */
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

/** The policies of one caller, compiled. Answers never change; asks nobody and keeps nothing of what it is asked. */
export interface Acl {
  /**
   * Whether the request may be made. Time is linear in path, parameters and patterns that may match; nothing is allocated but what
   * is merged the first time that a part of the tree is met.
   */
  decide(request: AclRequest): Decision
  /**
   * What may be done at a full path, sorted; `["root"]` for root, `["deny"]` for nothing. Every path is judged as that of a list. One
   * leading slash is ignored.
   */
  capabilities(path: string): readonly Granted[]
  /** What one lookup takes at most, about. For whoever makes many. */
  readonly lookupMicroseconds: number
  /** The names of the policies that say something about what is asked, for the record: of the rule that counts. */
  speaking(request: AclRequest): readonly string[]
  /** {@link decide} with its reasons. Slower; for people. */
  explain(request: AclRequest): Explanation
  /**
   * Whether any rule grants anything on or below a full path, such as that of a mount with its slash (`secret/`). A rule that
   * more specific wildcards undo everywhere may still count.
   */
  reaches(prefix: string): Steps<boolean>
  /** All rules, for consoles. */
  resultant(): Steps<ResultantAcl>
}
