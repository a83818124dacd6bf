/**
 * Caches compiled policies.
 *
 * Each policy is compiled once for all callers, and again when its text changes or one of its rules expires. The templates of a policy are
 * filled in once per entity. Long compilations run one after the other, and each yields to the event loop regularly. Concurrent callers
 * that need the same policy share its compilation.
 */
import type { Clock } from '../base/clock.ts'
import { Slices } from '../base/slices.ts'
import { runToEnd, type Steps } from '../base/steps.ts'
import {
  ALWAYS,
  type CompiledPolicy,
  type CompiledRules,
  compilePolicy,
  fillPolicy,
  isValidAt,
  type Policy,
  parsePolicySteps,
} from '../policy/index.ts'
import { type EntityRecord, templateEntity } from './identity/entity.ts'

/** A policy that applies to a caller. */
interface CallerPolicy {
  /** The uuid of the namespace and the policy's name. */
  readonly id: string
  readonly name: string
  /** The path of the policy's namespace. */
  readonly namespace: string
  readonly text: string
}

interface CachedPolicy extends CallerPolicy {
  readonly policy: CompiledPolicy
  /** The parsed policy, kept only if some rules expire. After an expiration, the remaining rules are compiled from it. */
  readonly parsed: Policy | undefined
  readonly filled: WeakMap<EntityRecord, CompiledRules>
}

interface PendingCompilation {
  readonly held: CallerPolicy
  readonly entity: EntityRecord | undefined
  readonly done: Promise<CachedPolicy>
}

/** Policies with at most this many characters in total are compiled without a pause. */
const MAX_IMMEDIATE_CHARACTERS = 16_384

/** The maximum number of characters in all cached policies. Compiled policies take about ten times the memory of their text. */
const MAX_CACHED_CHARACTERS = 16_777_216

export class CompiledPolicyCache {
  readonly #clock: Clock
  readonly #kept = new Map<string, CachedPolicy>()
  #characters = 0
  readonly #running = new Map<string, PendingCompilation>()
  /** Settles when all requested compilations are done. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * The rules of the policies, with the templates filled in for the entity if there is one. Undefined if compiling would take long; then
   * call {@link inSlices}.
   * @param at Milliseconds since the epoch. Rules that have expired by then are omitted.
   */
  now(held: readonly CallerPolicy[], entity: EntityRecord | undefined, at: number): readonly CompiledRules[] | undefined {
    const found = held.map((one) => partsOf(this.#find(one, at), entity))
    const missing = held.filter((_, i) => !found[i])
    if (missing.reduce((sum, { text }) => sum + text.length, 0) > MAX_IMMEDIATE_CHARACTERS) return undefined
    return held.flatMap(
      (one, i) => found[i] ?? partsOf(this.#keep(runToEnd(make(one, this.#find(one), entity, at))), entity) ?? [],
    )
  }

  /** Like {@link now}, but yields to the event loop while it compiles long policies. */
  async inSlices(held: readonly CallerPolicy[], entity: EntityRecord | undefined, at: number): Promise<readonly CompiledRules[]> {
    const parts: CompiledRules[] = []
    for (const one of held) parts.push(...(partsOf(this.#find(one, at), entity) ?? (await this.#slowly(one, entity, at))))
    return parts
  }

  async #slowly(held: CallerPolicy, entity: EntityRecord | undefined, at: number): Promise<readonly CompiledRules[]> {
    const shared = await this.#work(held, entity, at)
    // Another caller may have started this compilation before a rule expired, so check the result and compile again if it is out of date.
    const kept = isValidAt(shared.policy.validity, at) ? shared : await this.#compile(held, entity, at)
    return partsOf(kept, entity) ?? []
  }

  clear(): void {
    this.#kept.clear()
    this.#characters = 0
  }

  async #compile(held: CallerPolicy, entity: EntityRecord | undefined, at: number): Promise<CachedPolicy> {
    const slices = new Slices(this.#clock)
    await slices.giveWay()
    return this.#keep(await slices.drive(make(held, this.#find(held), entity, at)))
  }

  #work(held: CallerPolicy, entity: EntityRecord | undefined, at: number): Promise<CachedPolicy> {
    const key = JSON.stringify([held.id, entity?.id])
    const running = this.#running.get(key)
    if (running && isSame(running.held, held) && running.entity === entity) return running.done
    const work: PendingCompilation = { held, entity, done: this.#last.then(() => this.#compile(held, entity, at)) }
    this.#running.set(key, work)
    this.#last = work.done
      .catch(() => {})
      .then(() => {
        if (this.#running.get(key) === work) this.#running.delete(key)
      })
    return work.done
  }

  /** @param at If given, the cached policy is returned only if it has the rules that apply at this time. */
  #find(held: CallerPolicy, at?: number): CachedPolicy | undefined {
    const kept = this.#kept.get(held.id)
    if (!kept || !isSame(kept, held)) return undefined
    return at === undefined || isValidAt(kept.policy.validity, at) ? kept : undefined
  }

  /** Adds a policy to the cache. If the cache is then too large, evicts the policies that were compiled first. */
  #keep(kept: CachedPolicy): CachedPolicy {
    this.#drop(kept.id)
    this.#kept.set(kept.id, kept)
    this.#characters += kept.text.length
    for (const id of this.#kept.keys()) {
      if (this.#characters <= MAX_CACHED_CHARACTERS) break
      this.#drop(id)
    }
    return kept
  }

  #drop(id: string): void {
    this.#characters -= this.#kept.get(id)?.text.length ?? 0
    this.#kept.delete(id)
  }
}

const isSame = (a: CallerPolicy, b: CallerPolicy): boolean => a.text === b.text && a.namespace === b.namespace

/** Undefined if the policy is not compiled yet, or its templates are not filled in for the entity yet. */
function partsOf(kept: CachedPolicy | undefined, entity: EntityRecord | undefined): readonly CompiledRules[] | undefined {
  if (!kept) return undefined
  const { policy, filled } = kept
  if (!entity || policy.templated.length === 0) return [policy]
  const rules = filled.get(entity)
  return rules && [policy, rules]
}

/** @param kept The cached policy, if any. Its rules may apply to a time other than `at`; then only its parsed text is used. */
function* make(
  held: CallerPolicy,
  kept: CachedPolicy | undefined,
  entity: EntityRecord | undefined,
  at: number,
): Steps<CachedPolicy> {
  const { id, name, namespace, text } = held
  const known = kept && isValidAt(kept.policy.validity, at) ? kept : undefined
  const parsed = known ? known.parsed : (kept?.parsed ?? (yield* parsePolicySteps(text)))
  const policy = known?.policy ?? (yield* compilePolicy({ name, policy: parsed as Policy, namespace }, at))
  const filled = known?.filled ?? new WeakMap<EntityRecord, CompiledRules>()
  if (entity && policy.templated.length > 0) filled.set(entity, yield* fillPolicy(policy, { entity: templateEntity(entity) }))
  return { id, name, namespace, text, policy, parsed: policy.validity === ALWAYS ? undefined : parsed, filled }
}
