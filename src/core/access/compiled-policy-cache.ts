/**
 * Compiled policies, kept while their texts are unchanged.
 *
 * Each policy is compiled once, however many callers have it and whatever other policies change, and again when one of its rules has
 * ended; its templates are applied once per entity. Long work is done in slices, one policy after the other, and concurrent callers of the same policy wait for it.
 */
import type { Clock } from '../base/clock.ts'
import { Slices } from '../base/slices.ts'
import { finish, type Steps } from '../base/steps.ts'
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

/** A policy of a caller. */
export interface CallerPolicy {
  /** Its namespace's uuid and its name. */
  readonly id: string
  readonly name: string
  /** The path of its namespace. */
  readonly namespace: string
  readonly text: string
}

interface CachedPolicy extends CallerPolicy {
  readonly policy: CompiledPolicy
  /** The parsed text, if rules of it end, so that the others can be compiled again. */
  readonly parsed: Policy | undefined
  readonly filled: WeakMap<EntityRecord, CompiledRules>
}

interface PendingCompilation {
  readonly held: CallerPolicy
  readonly entity: EntityRecord | undefined
  readonly done: Promise<CachedPolicy>
}

/** Characters of policies that are compiled without a pause. */
const MAX_IMMEDIATE_CHARACTERS = 16_384

/** Characters of the policies that are kept; their compiled form takes about ten times that. */
const MAX_CACHED_CHARACTERS = 16_777_216

export class CompiledPolicyCache {
  readonly #clock: Clock
  readonly #kept = new Map<string, CachedPolicy>()
  #characters = 0
  readonly #running = new Map<string, PendingCompilation>()
  /** Settled when all requested work is done. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * The rules of policies for an entity, or for none; undefined where that takes much work, for {@link inSlices}.
   * @param at Milliseconds since the epoch: rules that have ended then are left out.
   */
  now(held: readonly CallerPolicy[], entity: EntityRecord | undefined, at: number): readonly CompiledRules[] | undefined {
    const found = held.map((one) => partsOf(this.#find(one, at), entity))
    const missing = held.filter((_, i) => !found[i])
    if (missing.reduce((sum, { text }) => sum + text.length, 0) > MAX_IMMEDIATE_CHARACTERS) return undefined
    return held.flatMap((one, i) => found[i] ?? partsOf(this.#keep(finish(make(one, this.#find(one), entity, at))), entity) ?? [])
  }

  /** The same, giving way to the event loop. */
  async inSlices(held: readonly CallerPolicy[], entity: EntityRecord | undefined, at: number): Promise<readonly CompiledRules[]> {
    const parts: CompiledRules[] = []
    for (const one of held) parts.push(...(partsOf(this.#find(one, at), entity) ?? (await this.#slowly(one, entity, at))))
    return parts
  }

  async #slowly(held: CallerPolicy, entity: EntityRecord | undefined, at: number): Promise<readonly CompiledRules[]> {
    const shared = await this.#work(held, entity, at)
    // Another caller may have begun that work before a rule ended.
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

  /** @param at If given, only what holds then. */
  #find(held: CallerPolicy, at?: number): CachedPolicy | undefined {
    const kept = this.#kept.get(held.id)
    if (!kept || !isSame(kept, held)) return undefined
    return at === undefined || isValidAt(kept.policy.validity, at) ? kept : undefined
  }

  /** Evicts the policies compiled first while there are too many. */
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

/** Undefined where something is still to be compiled. */
function partsOf(kept: CachedPolicy | undefined, entity: EntityRecord | undefined): readonly CompiledRules[] | undefined {
  if (!kept) return undefined
  const { policy, filled } = kept
  if (!entity || policy.templated.length === 0) return [policy]
  const rules = filled.get(entity)
  return rules && [policy, rules]
}

/** @param kept The part that is compiled already, perhaps for another time. */
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
