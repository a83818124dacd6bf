/**
 * Compiled policies, kept while their texts are unchanged.
 *
 * Each policy is compiled once, however many callers have it and whatever other policies change; its templates are applied once per
 * entity. Long work is done in slices, one policy after the other, and concurrent callers of the same policy wait for it.
 */
import type { Clock } from '../base/clock.ts'
import { Slices } from '../base/slices.ts'
import { finish, type Steps } from '../base/steps.ts'
import { type CompiledPolicy, type CompiledRules, compilePolicy, fillPolicy, readPolicy } from '../policy/index.ts'
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

  /** The rules of policies for an entity, or for none; undefined where that takes much work, for {@link inSlices}. */
  now(held: readonly Held[], entity: EntityRecord | undefined): readonly CompiledRules[] | undefined {
    const missing = held.filter((one) => !partsOf(this.#find(one), entity))
    if (missing.reduce((sum, { text }) => sum + text.length, 0) > FEW_CHARACTERS) return undefined
    for (const one of missing) this.#keep(finish(make(one, this.#find(one), entity)))
    const parts = held.map((one) => partsOf(this.#find(one), entity))
    return parts.every((part) => part !== undefined) ? parts.flat() : undefined
  }

  /** The same, giving way to the event loop. */
  async inSlices(held: readonly Held[], entity: EntityRecord | undefined): Promise<readonly CompiledRules[]> {
    const parts: CompiledRules[] = []
    for (const one of held) {
      const kept = this.#find(one)
      parts.push(...(partsOf(kept, entity) ?? partsOf(await this.#work(one, entity), entity) ?? []))
    }
    return parts
  }

  clear(): void {
    this.#kept.clear()
    this.#characters = 0
  }

  #work(held: Held, entity: EntityRecord | undefined): Promise<Kept> {
    const key = JSON.stringify([held.id, entity?.id])
    const running = this.#running.get(key)
    if (running && isSame(running.held, held) && running.entity === entity) return running.done
    const slices = new Slices(this.#clock)
    const run = async (): Promise<Kept> => {
      await slices.giveWay()
      return this.#keep(await slices.drive(make(held, this.#find(held), entity)))
    }
    const work: Work = { held, entity, done: this.#last.then(run) }
    this.#running.set(key, work)
    this.#last = work.done
      .catch(() => {})
      .then(() => {
        if (this.#running.get(key) === work) this.#running.delete(key)
      })
    return work.done
  }

  #find(held: Held): Kept | undefined {
    const kept = this.#kept.get(held.id)
    return kept && isSame(kept, held) ? kept : undefined
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

/** @param kept The part that is compiled already. */
function* make(held: Held, kept: Kept | undefined, entity: EntityRecord | undefined): Steps<Kept> {
  const { id, name, namespace, text } = held
  const policy = kept?.policy ?? (yield* compilePolicy({ name, policy: yield* readPolicy(text), namespace }))
  const filled = kept?.filled ?? new WeakMap<EntityRecord, CompiledRules>()
  if (entity && policy.templated.length > 0) filled.set(entity, yield* fillPolicy(policy, { entity: templateEntity(entity) }))
  return { id, name, namespace, text, policy, filled }
}
