/** Compiles the policies of one caller into an {@link Acl}. */
import { Pace, runToEnd, type Steps } from '../base/steps.ts'
import type {
  Acl,
  AclExplanation,
  AclOperation,
  AclPath,
  AclRequest,
  Decision,
  NamedPolicy,
  ResultantAcl,
  ResultantPaths,
  TemplateIdentity,
} from './acl.ts'
import { CAPABILITY_BITS, type CapabilityName, type CapabilitySet, capabilityNames } from './capability.ts'
import { type CompiledRules, compilePolicy, fillPolicy, type UnfilledBlock } from './compiled-policy.ts'
import type { CompiledRule } from './compiled-rule.ts'
import { ALLOWED, ALLOWED_AND_SUDO, NOTHING, SUDO } from './constant-acl.ts'
import { decidingRule, grantedAt } from './deciding-rule.ts'
import { explainAclDecision, explainUnfilled } from './explain.ts'
import { foldedTree } from './folded-rules.ts'
import type { PatternNode } from './pattern-node.ts'
import { PatternTree } from './pattern-tree.ts'
import { reachesBelow } from './reach.ts'
import { violatedRestriction } from './restrictions.ts'
import { ALWAYS, isNever, overlapOf, type Validity } from './validity.ts'

/**
 * The estimated maximum time of a lookup is the sum of three times: a constant, a time for each compiled policy, and a time for each rule
 * with a `+`.
 */
const LOOKUP_MICROSECONDS = 2

const PART_MICROSECONDS = 1

const SEGMENTED_MICROSECONDS = 0.05

/** The estimated time to add one rule to the summary that `resultant` returns. */
const SHOWN_MICROSECONDS = 1.5

/** At most this many rules are converted to lower case without a pause. */
const FEW_CASED = 256

/** The maximum number of pattern trees with lower-case rules that an ACL keeps. */
const MAX_FOLDED = 8

const { create, read, update, delete: remove, list, patch, sudo } = CAPABILITY_BITS

/** The capability that each operation requires. For a HEAD request, no capability suffices. */
const NEEDED: Readonly<Record<AclOperation, CapabilitySet>> = {
  create,
  read,
  update,
  delete: remove,
  list,
  patch,
  header: 0,
  help: 0,
}

/**
 * Compiles policies without pauses. Rules with the same pattern are merged, and the parameter values of later policies come first. The time
 * is linear in the length of the policies. For many policies, compile each policy once and in steps, and use {@link aclOf}. The name of a
 * policy has no effect; for the policy `root`, use `ROOT_ACL`.
 * @param identity The identity whose values are filled into templates. Without an identity, rules with a template are omitted.
 * @param now Milliseconds since the epoch. Required if a rule has an expiration; otherwise the returned ACL allows nothing.
 * @throws TypeError if a namespace is not a path, or if one of its segments would be a wildcard.
 */
export function compileAcl(policies: readonly NamedPolicy[], identity?: TemplateIdentity, now = Number.NaN): Acl {
  const compiled = policies.map((policy) => runToEnd(compilePolicy(policy, now)))
  return aclOf(compiled.flatMap((policy) => (identity ? [policy, runToEnd(fillPolicy(policy, identity))] : [policy])))
}

/**
 * Combines compiled policies into an ACL. This is cheap, because rules are merged only when a request needs them. The ACL allows nothing if
 * it is unknown which rules have expired, or if the template of a rule that denies or restricts could not be filled in.
 * @param validity The period in which the caller has exactly these policies.
 */
export function aclOf(parts: readonly CompiledRules[], validity: Validity = ALWAYS): Acl {
  const unfilled = parts.find((part) => part.unfilled)?.unfilled
  const span = parts.reduce((all, part) => overlapOf(all, part.validity), validity)
  return new CompiledAcl(unfilled || isNever(span) ? [] : parts.filter(({ rules }) => rules.length > 0), unfilled, span)
}

class CompiledAcl implements Acl {
  readonly validity: Validity
  readonly lookupMicroseconds: number
  readonly #parts: readonly CompiledRules[]
  readonly #roots: readonly PatternNode[]
  readonly #tree: PatternTree
  readonly #unfilled: UnfilledBlock | undefined
  /** The number of rules whose patterns contain upper-case letters. */
  readonly #cased: number
  /** Pattern trees that contain each rule also in lower case (folded), keyed by the number of slashes before the lower-case part. */
  readonly #folded = new Map<number, PatternTree>()

  constructor(parts: readonly CompiledRules[], unfilled: UnfilledBlock | undefined, validity: Validity) {
    this.validity = validity
    this.#parts = parts
    this.#unfilled = unfilled
    this.#roots = parts.map(({ root }) => root)
    this.#tree = new PatternTree(this.#roots)
    this.#cased = parts.reduce((sum, { cased }) => sum + cased.length, 0)
    const segmented = parts.reduce((sum, part) => sum + part.segmented, 0)
    this.lookupMicroseconds = LOOKUP_MICROSECONDS + parts.length * PART_MICROSECONDS + segmented * SEGMENTED_MICROSECONDS
  }

  decide(request: AclRequest): Decision {
    if (request.operation === 'help') return ALLOWED
    const rule = this.#ruleFor(request)
    if (!rule) return NOTHING
    const allowed = grantsTo(rule, request)
    if ((rule.capabilities & sudo) !== 0) return allowed ? ALLOWED_AND_SUDO : SUDO
    return allowed ? ALLOWED : NOTHING
  }

  capabilities(asked: string | AclPath): readonly CapabilityName[] {
    const { path, ...spelling } = typeof asked === 'string' ? { path: asked } : asked
    return capabilityNames(grantedAt(this.#treeOf, { ...spelling, path: path.startsWith('/') ? path.slice(1) : path }))
  }

  speaking(request: AclRequest): readonly string[] {
    return this.#ruleFor(request)?.policies ?? []
  }

  isPrepared(path: AclPath): boolean {
    return this.#cased <= FEW_CASED || this.#unfolded(path).length === 0
  }

  *prepare(path: AclPath): Steps<void> {
    yield* this.#fold(this.#unfolded(path))
  }

  #unfolded({ foldedAfter, others = [] }: AclPath): readonly number[] {
    const all = [foldedAfter, ...others.map((other) => other.foldedAfter)]
    return all.filter((slashes) => slashes !== undefined).filter((slashes) => !this.#folded.has(slashes))
  }

  explain(request: AclRequest): AclExplanation {
    const decided = this.decide(request)
    if (isNever(this.validity) && request.operation !== 'help') return { ...decided, root: false, reason: UNKNOWN_TIME }
    return this.#unfilled && request.operation !== 'help'
      ? explainUnfilled(this.#unfilled, decided)
      : explainAclDecision(this.#treeOf(request.foldedAfter), request, decided, this.#ruleFor(request))
  }

  #ruleFor(request: AclRequest): CompiledRule | undefined {
    const { operation, path, foldedAfter, others } = request
    const list = operation === 'list'
    // Nearly all requests have a single path, which is compared exactly.
    if (foldedAfter === undefined && others === undefined) return this.#tree.find(path, list)
    return decidingRule(this.#treeOf, request, list, (rule) => !grantsTo(rule, request))
  }

  readonly #treeOf = (foldedAfter: number | undefined): PatternTree => {
    if (foldedAfter === undefined || this.#cased === 0) return this.#tree
    if (!this.#folded.has(foldedAfter)) runToEnd(this.#fold([foldedAfter]))
    return this.#folded.get(foldedAfter) ?? this.#tree
  };

  *#fold(all: readonly number[]): Steps<void> {
    for (const slashes of all) {
      const roots: PatternNode[] = []
      for (const part of this.#parts) {
        const root = yield* foldedTree(part, slashes)
        if (root) roots.push(root)
      }
      if (this.#folded.size >= MAX_FOLDED) this.#folded.clear()
      this.#folded.set(slashes, roots.length > 0 ? new PatternTree([...this.#roots, ...roots]) : this.#tree)
    }
  }

  reaches(prefix: string): Steps<boolean> {
    return reachesBelow(this.#tree, this.#roots, prefix)
  }

  *resultant(): Steps<ResultantAcl> {
    const pace = new Pace()
    const paths = { exact: new Map<string, CapabilitySet>(), prefix: new Map<string, CapabilitySet>() }
    for (const { rules } of this.#parts)
      for (const { kind, stem, capabilities } of rules) {
        if (kind !== 'segment wildcard') paths[kind].set(stem, (paths[kind].get(stem) ?? 0) | capabilities)
        if (pace.spend(SHOWN_MICROSECONDS)) yield
      }
    return { root: false, exact_paths: yield* shown(paths.exact), glob_paths: yield* shown(paths.prefix) }
  }
}

/** Whether the deciding rule grants the operation and its restrictions allow the request. */
const grantsTo = (rule: CompiledRule, request: AclRequest): boolean =>
  (rule.capabilities & NEEDED[request.operation]) !== 0 && !(rule.restricted && violatedRestriction(rule, request) !== undefined)

function* shown(paths: ReadonlyMap<string, CapabilitySet>): Steps<ResultantPaths> {
  const pace = new Pace()
  const entries: Record<string, { readonly capabilities: readonly CapabilityName[] }> = Object.create(null)
  for (const [path, set] of paths) {
    entries[path] = { capabilities: capabilityNames((set & CAPABILITY_BITS.deny) === 0 ? set : CAPABILITY_BITS.deny) }
    if (pace.spend(SHOWN_MICROSECONDS)) yield
  }
  return entries
}

const UNKNOWN_TIME = 'a policy or a rule has an expiration, and the current time is unknown'
