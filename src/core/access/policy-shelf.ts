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
  covers,
  fillPolicy,
  type Policy,
  readPolicy,
} from '../policy/index.ts'
import { type EntityRecord, templateEntity } from './identity/entity.ts'

/** A policy of a caller. */
export interface Held {
  /** Its namespace's uuid and its name. */
  readonly id: string
  readonly name: string
  /** The path of its namespace. */
  readonly namespace: string
  readonly text: string
}

interface Kept extends Held {
  readonly policy: CompiledPolicy
  /** The parsed text, if rules of it end, so that the others can be compiled again. */
  readonly parsed: Policy | undefined
  readonly filled: WeakMap<EntityRecord, CompiledRules>
}

interface Work {
  readonly held: Held
  readonly entity: EntityRecord | undefined
  readonly done: Promise<Kept>
}

/** Characters of policies that are compiled without a pause. */
const FEW_CHARACTERS = 16_384

/** Characters of the policies that are kept; their compiled form takes about ten times that. */
const MOST_CHARACTERS = 16_777_216

export class PolicyShelf {
  readonly #clock: Clock
  readonly #kept = new Map<string, Kept>()
  #characters = 0
  readonly #running = new Map<string, Work>()
  /** Settled when all requested work is done. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * The rules of policies for an entity, or for none; undefined where that takes much work, for {@link inSlices}.
   * @param at Milliseconds since the epoch: rules that have ended then are left out.
   */
  now(held: readonly Held[], entity: EntityRecord | undefined, at: number): readonly CompiledRules[] | undefined {
    const found = held.map((one) => partsOf(this.#find(one, at), entity))
    const missing = held.filter((_, i) => !found[i])
    if (missing.reduce((sum, { text }) => sum + text.length, 0) > FEW_CHARACTERS) return undefined
    return held.flatMap((one, i) => found[i] ?? partsOf(this.#keep(finish(make(one, this.#find(one), entity, at))), entity) ?? [])
  }

  /** The same, giving way to the event loop. */
  async inSlices(held: readonly Held[], entity: EntityRecord | undefined, at: number): Promise<readonly CompiledRules[]> {
    const parts: CompiledRules[] = []
    for (const one of held) parts.push(...(partsOf(this.#find(one, at), entity) ?? (await this.#slowly(one, entity, at))))
    return parts
  }

  async #slowly(held: Held, entity: EntityRecord | undefined, at: number): Promise<readonly CompiledRules[]> {
    const shared = await this.#work(held, entity, at)
    // Another caller may have begun that work before a rule ended.
    const kept = covers(shared.policy.validity, at) ? shared : await this.#compile(held, entity, at)
    return partsOf(kept, entity) ?? []
  }

  clear(): void {
    this.#kept.clear()
    this.#characters = 0
  }

  async #compile(held: Held, entity: EntityRecord | undefined, at: number): Promise<Kept> {
    const slices = new Slices(this.#clock)
    await slices.giveWay()
    return this.#keep(await slices.drive(make(held, this.#find(held), entity, at)))
  }

  #work(held: Held, entity: EntityRecord | undefined, at: number): Promise<Kept> {
    const key = JSON.stringify([held.id, entity?.id])
    const running = this.#running.get(key)
    if (running && isSame(running.held, held) && running.entity === entity) return running.done
    const work: Work = { held, entity, done: this.#last.then(() => this.#compile(held, entity, at)) }
    this.#running.set(key, work)
    this.#last = work.done
      .catch(() => {})
      .then(() => {
        if (this.#running.get(key) === work) this.#running.delete(key)
      })
    return work.done
  }

  /** @param at If given, only what holds then. */
  #find(held: Held, at?: number): Kept | undefined {
    const kept = this.#kept.get(held.id)
    if (!kept || !isSame(kept, held)) return undefined
    return at === undefined || covers(kept.policy.validity, at) ? kept : undefined
  }

  /** Evicts the policies compiled first while there are too many. */
  #keep(kept: Kept): Kept {
    this.#drop(kept.id)
    this.#kept.set(kept.id, kept)
    this.#characters += kept.text.length
    for (const id of this.#kept.keys()) {
      if (this.#characters <= MOST_CHARACTERS) break
      this.#drop(id)
    }
    return kept
  }

  #drop(id: string): void {
    this.#characters -= this.#kept.get(id)?.text.length ?? 0
    this.#kept.delete(id)
  }
}

const isSame = (a: Held, b: Held): boolean => a.text === b.text && a.namespace === b.namespace

/** Undefined where something is still to be compiled. */
function partsOf(kept: Kept | undefined, entity: EntityRecord | undefined): readonly CompiledRules[] | undefined {
  if (!kept) return undefined
  const { policy, filled } = kept
  if (!entity || policy.templated.length === 0) return [policy]
  const rules = filled.get(entity)
  return rules && [policy, rules]
}

/** @param kept The part that is compiled already, perhaps for another time. */
function* make(held: Held, kept: Kept | undefined, entity: EntityRecord | undefined, at: number): Steps<Kept> {
  const { id, name, namespace, text } = held
  const known = kept && covers(kept.policy.validity, at) ? kept : undefined
  const parsed = known ? known.parsed : (kept?.parsed ?? (yield* readPolicy(text)))
  const policy = known?.policy ?? (yield* compilePolicy({ name, policy: parsed as Policy, namespace }, at))
  const filled = known?.filled ?? new WeakMap<EntityRecord, CompiledRules>()
  if (entity && policy.templated.length > 0) filled.set(entity, yield* fillPolicy(policy, { entity: templateEntity(entity) }))
  return { id, name, namespace, text, policy, parsed: policy.validity === ALWAYS ? undefined : parsed, filled }
}
